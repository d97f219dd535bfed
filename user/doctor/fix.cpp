// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/fix.h"

#include "change/carry_out.h"
#include "command/dispatch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace causeway {

namespace {

void tell(const std::string &step, const Result<Answer> &answer, Answer &fixed) {
    Json json = {{"step", step}, {"done", static_cast<bool>(answer)}};
    fixed.text += step + "\n";
    if (answer) {
        json["answer"] = answer->json;
        fixed.text += answer->text;
    } else {
        json["error"] = answer.error().what;
        fixed.text += fmt::format("  failed: {}\n", answer.error().what);
        fixed.text += answer.error().fix.empty() ? "" : fmt::format("  {}\n", answer.error().fix);
    }
    fixed.json.push_back(json);
}

} // namespace

Answer fix(World &world, const std::vector<Found> &found, bool dry_run) {
    Answer fixed;
    fixed.json = Json::array();
    std::set<std::vector<std::string>> run;
    ChangeSet set("doctor --fix");
    Result<void> planned;
    for (const Found &each : found) {
        const Sighting &it = each.sighting;
        if (it.plan && planned) {
            planned = it.plan(world, set);
        }
        if (it.verb.empty() || !run.insert(it.verb).second) {
            continue;
        }
        std::vector<std::string> words = it.verb;
        if (dry_run) {
            words.emplace_back("--dry-run");
        }
        tell(fmt::format("causeway {}", fmt::join(words, " ")), answer_command(world, words),
             fixed);
    }
    if (!planned) {
        tell("changes of doctor's own", planned.error(), fixed);
    } else if (!set.empty()) {
        tell("changes of doctor's own", carry_out(world, {dry_run}, set, "all is so already"),
             fixed);
    }
    if (fixed.json.empty()) {
        fixed.text = "there is nothing that Causeway can fix by itself\n";
    }
    return fixed;
}

} // namespace causeway
