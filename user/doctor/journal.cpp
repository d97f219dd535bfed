// SPDX-License-Identifier: GPL-2.0-or-later
// The finding about changes of this machine that were interrupted.
#include "change/journal.h"
#include "doctor/finding.h"

#include <fmt/format.h>

namespace causeway {

namespace {

struct JournalFacts {
    std::vector<JournalEntry> entries;
};

const FactSource journal_facts([](World &world, Facts &facts) {
    facts.of<JournalFacts>().entries =
        facts.told_or_unseen(Journal(world.places.journal()).entries(), "the journal");
});

std::vector<Sighting> unfinished(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const JournalEntry &entry : facts.of<JournalFacts>().entries) {
        if (entry.state == "begun") {
            seen.push_back({fmt::format("{}", entry.number),
                            fmt::format("\"causeway {}\" of {} did not come to its end",
                                        entry.title, entry.time),
                            fmt::format("causeway undo {}", entry.number)});
        }
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
