// SPDX-License-Identifier: GPL-2.0-or-later
// help, version.
#include "command/help.h"
#include "command/verb.h"

#include "base/durable_file.h"
#include "command/suggestion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#ifndef CAUSEWAY_VERSION
#define CAUSEWAY_VERSION "unknown"
#endif

namespace causeway {

namespace {

Result<Answer> run_help(World & /*world*/, const Arguments &arguments) {
    Answer answer;
    if (arguments.operands().empty()) {
        answer.text = overview();
        answer.json["verbs"] = Json::array();
        for (const Verb &verb : all_verbs()) {
            if (!verb.hidden) {
                answer.json["verbs"].push_back(verb_help(verb).json);
            }
        }
        return answer;
    }
    const std::string words = fmt::format("{}", fmt::join(arguments.operands(), " "));
    for (const Verb &verb : all_verbs()) {
        if (verb.words == words) {
            return verb_help(verb);
        }
        // "help export" explains all verbs that start with "export".
        if (verb.words.substr(0, words.size() + 1) == words + " ") {
            answer.text += (answer.text.empty() ? "" : "\n") + verb_help(verb).text;
            answer.json["verbs"].push_back(verb_help(verb).json);
        }
    }
    if (answer.text.empty()) {
        const auto meant = suggest_verb(arguments.operands()).meant;
        return Error{ExitCode::usage, fmt::format("the verb '{}' is unknown", words),
                     meant.empty() ? "see: causeway help"
                                   : fmt::format("did you mean: causeway help {}", meant.front())};
    }
    return answer;
}

Result<Answer> run_version(World &world, const Arguments & /*arguments*/) {
    Answer answer;
    answer.text = fmt::format("causeway {}\n", CAUSEWAY_VERSION);
    answer.json["version"] = CAUSEWAY_VERSION;
    answer.json["modules"] = Json::object();
    for (const std::string module : {module_core, module_disk, module_target, module_rpcrdma}) {
        if (!world.modules.loaded(module)) {
            continue;
        }
        const auto told = read_small_file("/sys/module/" + module + "/version");
        std::string version = told && *told ? **told : "unknown";
        version.erase(version.find_last_not_of('\n') + 1);
        answer.text += fmt::format("module {} {}\n", module, version);
        answer.json["modules"][module] = version;
    }
    return answer;
}

const VerbRows help_rows(Section::repairing, 6, [] {
    return std::vector<Verb>{
        {
            .words = "help",
            .operands = "[VERB]",
            .summary = "explain a verb",
            .most_operands = 4,
            .run = run_help,
        },
        {
            .words = "version",
            .summary = "show the version of the command and of the loaded modules",
            .run = run_version,
        },
    };
});

} // namespace

} // namespace causeway
