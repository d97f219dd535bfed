// SPDX-License-Identifier: GPL-2.0-or-later
// The finding about changes of this machine that were interrupted.
#include "change/take_back.h"
#include "doctor/finding.h"

#include <fmt/format.h>

namespace causeway {

namespace {

struct JournalFacts {
    std::vector<JournalEntry> cut_off;
};

const FactSource journal_facts([](World &world, Facts &facts) {
    const Journal journal(world.places.journal());
    std::map<unsigned int, Error> unread;
    auto entries = facts.told_or_unseen(journal.entries(unread), "the journal");
    for (const auto &[number, error] : unread) {
        facts.unseen.push_back(fmt::format("entry {}: {}", number, error.what));
    }
    for (JournalEntry &entry : entries) {
        if (is_cut_off(world, journal, entry)) {
            facts.of<JournalFacts>().cut_off.push_back(std::move(entry));
        }
    }
});

std::vector<Sighting> unfinished(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const JournalEntry &entry : facts.of<JournalFacts>().cut_off) {
        seen.push_back(
            {fmt::format("{}", entry.number),
             fmt::format("\"causeway {}\" of {} did not come to its end", entry.title, entry.time),
             fmt::format("causeway undo {}", entry.number)});
    }
    return seen;
}

const FindingRows journal_findings("journal", [] {
    return std::vector<Finding>{
        {"change-unfinished", Severity::warning, "a change of this machine was cut off",
         "The power failed, or an error came in the middle; the journal knows what was there "
         "before.",
         "causeway undo N", unfinished},
    };
});

} // namespace

} // namespace causeway
