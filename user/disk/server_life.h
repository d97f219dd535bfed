// SPDX-License-Identifier: GPL-2.0-or-later
// What has to be true of the server as a whole before it gets an export, and when it stops.
#pragma once

#include "base/durable_file.h"
#include "base/result.h"
#include "config/instance.h"
#include "machine/kernel.h"
#include "machine/world.h"

#include <chrono>

namespace causeway {

// Held while exports change.
Result<FileLock> lock_server(const World &world);
// The same for a stop, which must end: an error if another command keeps the lock for so long.
Result<FileLock> lock_server_within(World &world, std::chrono::seconds limit);

// Gives the target its instance if it has none that may go on. The module is loaded, the lock is
// held.
Result<void> start_life(World &world);

struct StopOutcome {
    std::size_t exports = 0; // that were removed
    StopReport report;
};
// Ends all exports in order and leaves the mark of a clean stop where it may. The lock is held.
Result<StopOutcome> end_life(World &world);

} // namespace causeway
