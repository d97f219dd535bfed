// SPDX-License-Identifier: GPL-2.0-or-later
// A change that may cut off the administrator who makes it: it is taken back after a minute unless
// "causeway confirm" is said. The way back is arranged before the change is made, outlives the
// session, and is walked at the next boot where the machine goes down in between.
#pragma once

#include "change/carry_out.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace causeway {

inline constexpr std::chrono::seconds confirm_limit(60);
// In place of an id.
inline constexpr const char *unconfirmed_at_boot = "boot";
inline constexpr const char *unconfirmed_now = "now"; // nobody will be there when the minute ends

// Why a change waits.
struct Guard {
    std::string interface;
    std::string peer; // of the session
    // Of an undo: what its interfaces have before it, as changes of addresses in the journal's
    // form.
    Json held = Json::array();
};

struct Unconfirmed {
    std::string id; // of this one wait
    unsigned int number = 0;
    std::string title;
    std::string boot;
    // The entry is undone, and is done again unless that is confirmed.
    bool undoes = false;
    Json held = Json::array();
    unsigned int failures = 0; // of its way back, which had begun then
    bool begun = false;        // the way back: programs of the network's manager were run
};

std::filesystem::path unconfirmed_place(const Places &places);
// None where no change waits. An error where the file cannot be read.
Result<std::optional<Unconfirmed>> load_unconfirmed(const Places &places);

// Writes the file, then starts the minute.
Result<void> arm(World &world, const Unconfirmed &wait);
// The change stays, or is taken back already.
Result<void> disarm(World &world, const Unconfirmed &wait);

// An error where a change waits that is not the one of this number.
Result<void> nothing_waits(const Places &places, std::optional<unsigned int> number);

// As carry_out(). With a guard the change waits for its confirmation, and the answer's JSON has
// "confirm".
Result<Answer> carry_out_guarded(World &world, Manner manner, const ChangeSet &set,
                                 const std::string &nothing_to_do,
                                 const std::optional<Guard> &guard);

// "causeway confirm": what waits stays.
Result<Answer> confirm(World &world, bool dry_run);

// Takes back the change that waits under this id, or does again what an undo took back, whatever
// others did to it meanwhile; nothing where none does. For the id "boot": the one of an earlier
// boot, of which only files are left. For "now": any, and its timer is stopped, for the command is
// about to be removed.
Result<Answer> take_back_unconfirmed(World &world, const std::string &id);

} // namespace causeway
