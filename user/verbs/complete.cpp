// SPDX-License-Identifier: GPL-2.0-or-later
// complete, manual: the source of completion in shells, and the manual page.
#include "base/durable_file.h"
#include "command/completion.h"
#include "command/manual.h"
#include "command/verb.h"

#include <fmt/format.h>

namespace causeway {

namespace {

// Prints a line for each candidate: the word, a tab and its help. ":files" or ":folders" makes the
// shell complete files or folders.
Result<Answer> run_complete(World &world, const Arguments &arguments) {
    const Completion completion = complete(world, arguments.operands());
    Answer answer;
    answer.json["candidates"] = Json::array();
    for (const Candidate &candidate : completion.candidates) {
        answer.text += candidate.word;
        answer.text += candidate.help.empty() ? "\n" : "\t" + candidate.help + "\n";
        answer.json["candidates"].push_back({{"word", candidate.word}, {"help", candidate.help}});
    }
    switch (completion.files) {
    case FileKind::any:
        answer.text += ":files\n";
        break;
    case FileKind::folders:
        answer.text += ":folders\n";
        break;
    case FileKind::none:
        break;
    }
    return answer;
}

Result<Answer> run_manual(World & /*world*/, const Arguments &arguments) {
    const std::string &place = arguments.operands().front();
    auto page = TRY(read_small_file(place));
    if (!page) {
        return Error{ExitCode::unavailable, fmt::format("there is no file {}", place)};
    }
    auto filled = TRY(fill_manual(*page));
    Answer answer;
    answer.text = std::move(filled);
    answer.json["page"] = answer.text;
    return answer;
}

const CompletionSource source_of_file("FILE", FileKind::any);
const CompletionSource source_of_program("CMD", FileKind::any);
const CompletionSource source_of_path("PATH", FileKind::folders);
const CompletionSource source_of_directory("DIR", FileKind::folders);

const VerbRows complete_rows(Section::repairing, 7, [] {
    return std::vector<Verb>{
        {
            .words = "complete",
            .operands = "[--] WORD...",
            .summary = "for shells: list completions of the last word",
            .most_operands = 1000,
            .run = run_complete,
            .hidden = true,
            .verbatim = true,
        },
        {
            .words = "manual",
            .operands = "FILE",
            .summary = "for the build: a page of scdoc(5) with the verbs filled in",
            .least_operands = 1,
            .most_operands = 1,
            .run = run_manual,
            .hidden = true,
        },
    };
});

} // namespace

} // namespace causeway
