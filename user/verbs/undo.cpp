// SPDX-License-Identifier: GPL-2.0-or-later
// undo: takes a change of this machine back, by the journal. confirm: keeps one that waits for it.
#include "base/units.h"
#include "change/carry_out.h"
#include "change/unconfirmed.h"
#include "command/verb.h"
#include "netconf/session_guard.h"
#include "show/table.h"

#include <fmt/format.h>
#include <limits>

namespace causeway {

namespace {

Result<Answer> list_journal(World &world) {
    std::map<unsigned int, Error> unread;
    auto entries = TRY(Journal(world.places.journal()).entries(unread));
    Answer answer;
    for (const auto &[number, error] : unread) {
        answer.warnings.push_back(error.what);
    }
    answer.json["journal"] = Json::array();
    Table table({{"N", Table::Align::right}, {"WHEN"}, {"STATE"}, {"WHAT"}});
    for (const JournalEntry &entry : entries) {
        Json changes = Json::array();
        for (const ChangePointer &change : entry.changes) {
            changes.push_back(change->subject());
        }
        answer.json["journal"].push_back({{"number", entry.number},
                                          {"time", entry.time},
                                          {"title", entry.title},
                                          {"state", entry.state},
                                          {"subjects", changes}});
        table.row({fmt::format("{}", entry.number), entry.time, entry.state, entry.title});
    }
    answer.text = table.text(world.terminal);
    if (answer.text.empty()) {
        answer.text = "nothing was changed yet\n";
    }
    return answer;
}

Result<Answer> run_confirm(World &world, const Arguments &arguments) {
    return confirm(world, arguments.dry_run());
}

Result<Answer> run_undo(World &world, const Arguments &arguments) {
    if (arguments.has("list")) {
        if (!arguments.operands().empty()) {
            return Error{ExitCode::usage, "--list shows the whole journal", "give no number"};
        }
        return list_journal(world);
    }
    if (const auto id = arguments.text("unconfirmed")) {
        if (arguments.dry_run()) {
            return Error{ExitCode::usage, "--unconfirmed and --dry-run exclude each other",
                         "see what waits: causeway confirm --dry-run"};
        }
        return take_back_unconfirmed(world, *id);
    }
    const bool named = !arguments.operands().empty();
    // --last says what the verb does without a number.
    if (arguments.has("last") && named) {
        return Error{ExitCode::usage, "--last stands for a change, and a number is given too",
                     "give N or --last"};
    }
    std::optional<unsigned int> number;
    if (named) {
        auto typed = TRY(parse_number("N", arguments.operands().front(), 1,
                                      std::numeric_limits<unsigned int>::max()));
        number = static_cast<unsigned int>(typed);
    }
    const GuardOfUndo guard_of = [&](const JournalEntry &entry) {
        return arguments.has("confirmed") ? std::nullopt : guard_of_undo(world, entry);
    };
    return undo(world, arguments.dry_run(), number, arguments.has("force"), guard_of);
}

const VerbRows undo_rows(Section::repairing, 3, [] {
    return std::vector<Verb>{
        {
            .words = "confirm",
            .summary = "keep a change that waits because a session may run over the interface",
            .changes = true,
            .run = run_confirm,
        },
        {
            .words = "undo",
            .operands = "[N]",
            .summary =
                "reverse a change of the journal, by default the last one that is not undone",
            .options = {{"list", "", "show the changes of the journal"},
                        {"last", "", "reverse the last change that is not undone: the default"},
                        {"force", "", "remove things even while they are in use"},
                        {"confirmed", "",
                         "do not wait for \"causeway confirm\", although a session runs over an "
                         "interface that "
                         "is changed: for scripts"},
                        {"unconfirmed", "ID",
                         "for the timer, the boot and a removal: reverse the change that was not "
                         "confirmed, if it waits",
                         false, true}},
            .most_operands = 1,
            .changes = true,
            .run = run_undo,
        },
    };
});

} // namespace

} // namespace causeway
