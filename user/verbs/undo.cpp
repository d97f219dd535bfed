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

// No change is named: the error names the last one.
Error which_one(World &world) {
    Error error{ExitCode::usage, "it is not said which change to take back",
                "see: causeway undo --list"};
    std::map<unsigned int, Error> unread;
    const auto entries = TRY(Journal(world.places.journal()).entries(unread));
    for (std::size_t i = entries.size(); i-- > 0;) {
        const JournalEntry &entry = entries[i];
        if (entry.state != "undone") {
            error.fix = fmt::format("causeway undo {} takes back the last one (causeway {}, {}), "
                                    "and so does --last; causeway undo --list shows all",
                                    entry.number, entry.title, entry.time);
            break;
        }
    }
    return error;
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
    if (arguments.has("last") && named) {
        return Error{ExitCode::usage, "--last stands for a change, and a number is given too",
                     "give N or --last"};
    }
    // Taking back the wrong change can end the connection of the administrator who types it.
    if (!named && !arguments.has("last") && !arguments.dry_run()) {
        return which_one(world);
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
            .summary = "reverse a change that the journal has",
            .options = {{"list", "", "show the changes of the journal"},
                        {"last", "", "the last change that is not undone"},
                        {"force", "", "even if what it removes is in use"},
                        {"confirmed", "",
                         "do not wait for \"causeway confirm\", although a session runs over an "
                         "interface that "
                         "is changed: for scripts"},
                        {"unconfirmed", "ID",
                         "for the timer, the boot and a removal: the change that was not "
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
