// SPDX-License-Identifier: GPL-2.0-or-later
// complete, manual: what the shells and the manual page are made of.
#include "base/durable_file.h"
#include "command/manual.h"
#include "verbs/completion.h"
#include "verbs/verbs.h"

#include <fmt/format.h>

namespace causeway {

// A line for each candidate, its help behind a tab; ":files" or ":folders" asks the shell for
// these.
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

} // namespace causeway
