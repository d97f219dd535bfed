// SPDX-License-Identifier: GPL-2.0-or-later
// doctor: the problems of this machine, their causes and their fixes.
#include "command/verb.h"
#include "doctor/bundle.h"
#include "doctor/fix.h"
#include "doctor/report.h"

#include <fmt/format.h>

namespace causeway {

namespace {

Result<void> check(const Arguments &arguments) {
    std::string given;
    for (const std::string option : {"fix", "bundle", "nagios", "list"}) {
        if (!arguments.has(option)) {
            continue;
        }
        if (!given.empty()) {
            return Error{ExitCode::usage,
                         fmt::format("--{} and --{} exclude each other", given, option),
                         "give one of them"};
        }
        given = option;
    }
    if (arguments.dry_run() && given != "fix") {
        return Error{ExitCode::usage, "--dry-run goes with --fix", "doctor alone changes nothing"};
    }
    return {};
}

Result<Answer> bundle(World &world, const std::string &file) {
    const Facts facts = gather_facts(world);
    const auto found = examine(facts);
    auto names = TRY(write_bundle(world, facts, found, file));
    Answer answer;
    answer.json = {{"file", file}, {"parts", names}};
    answer.text = fmt::format("{} parts are in {}; look at them before you give it away: "
                              "tar tf {}\n",
                              names.size(), file, file);
    return answer;
}

Result<Answer> fix_findings(World &world, bool dry_run) {
    const Answer fixed = [&] {
        const Facts facts = gather_facts(world);
        return fix(world, examine(facts), dry_run);
    }();
    // The facts are gathered again, to report the problems that are left.
    const Facts facts = gather_facts(world);
    const auto found = examine(facts);
    Answer answer = report(found, facts.unseen);
    answer.text = fixed.text + (dry_run ? "" : "\n" + answer.text);
    answer.json["dry_run"] = dry_run;
    answer.json["fixed"] = fixed.json;
    if (dry_run) {
        answer.code = ExitCode::ok;
    }
    return answer;
}

Result<Answer> run_doctor(World &world, const Arguments &arguments) {
    TRY(check(arguments));
    if (arguments.has("list")) {
        Answer answer = list_findings();
        if (arguments.has("markdown")) {
            answer.text = findings_page();
        }
        return answer;
    }
    if (const auto file = arguments.text("bundle")) {
        return bundle(world, *file);
    }
    if (arguments.has("fix")) {
        return fix_findings(world, arguments.dry_run());
    }
    const Facts facts = gather_facts(world);
    const auto found = examine(facts);
    return arguments.has("nagios") ? nagios_report(found, facts.unseen)
                                   : report(found, facts.unseen);
}

const VerbRows doctor_rows(Section::repairing, 1, [] {
    return std::vector<Verb>{
        {
            .words = "doctor",
            .summary = "find problems of this machine, their causes and their fixes",
            .options = {{"fix", "",
                         "fix the problems that Causeway can fix; undo --list shows the changes"},
                        {"bundle", "FILE",
                         "write a tar archive of all facts, without secrets, for a report"},
                        {"nagios", "", "print one line, and exit with 0, 1, 2 or 3"},
                        {"list", "", "show all problems that doctor can find"},
                        {"markdown", "", "the list as docs/DOCTOR.md has it", false, true}},
            .changes = true,
            .run = run_doctor,
        },
    };
});

} // namespace

} // namespace causeway
