// SPDX-License-Identifier: GPL-2.0-or-later
// A change that may cut off the administrator who makes it. It is reversed after a minute unless
// the administrator runs "causeway confirm". A timer that outlives the session is started before
// the change is made. If the machine goes down in the meantime, the next boot reverses the change.
#pragma once

#include "change/carry_out.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace causeway {

inline constexpr std::chrono::seconds confirm_limit(60);
// These words stand in place of an id.
inline constexpr const char *unconfirmed_at_boot = "boot";
// For a removal of the package: afterwards, no command is left that can reverse the change.
inline constexpr const char *unconfirmed_now = "now";

// The reason why a change waits: a remote session may run over the interface.
struct Guard {
    std::string interface;
    std::string peer; // the remote end of the session
    // For an undo: the state of its interfaces before it, as changes of addresses in the journal's
    // form.
    Json held = Json::array();
};

struct Unconfirmed {
    std::string id; // identifies this wait
    unsigned int number = 0;
    std::string title;
    std::string boot; // ID of the boot in which the change was made
    // The change that waits is the undo of the entry. Without confirmation the entry is applied
    // again.
    bool undoes = false;
    Json held = Json::array();
    unsigned int failures = 0; // failed tries of the reversal
    bool begun = false;        // the reversal has begun: programs of the network manager were run
};

std::filesystem::path unconfirmed_place(const Places &places);
// Returns none if no change waits, and an error if the file cannot be read.
Result<std::optional<Unconfirmed>> load_unconfirmed(const Places &places);

// Writes the file, then starts the timer of one minute.
Result<void> arm(World &world, const Unconfirmed &wait);
// Ends the wait of a change that stays or that is reversed already.
Result<void> disarm(World &world, const Unconfirmed &wait);

// Returns an error if a change waits whose number is not @number.
Result<void> nothing_waits(const Places &places, std::optional<unsigned int> number);

// Like carry_out(). With a guard, the change waits for its confirmation, and the answer's JSON has
// "confirm".
Result<Answer> carry_out_guarded(World &world, Manner manner, const ChangeSet &set,
                                 const std::string &nothing_to_do,
                                 const std::optional<Guard> &guard);

// "causeway confirm": keeps the change that waits.
Result<Answer> confirm(World &world, bool dry_run);

// Reverses the change that waits under this id, or applies again what an unconfirmed undo reversed,
// even if other programs have changed it meanwhile. Does nothing if no change waits under the id.
// The id "boot" stands for a change of an earlier boot, of which only files are left. The id "now"
// stands for any change and also stops its timer, because the command is about to be removed.
Result<Answer> take_back_unconfirmed(World &world, const std::string &id);

} // namespace causeway
