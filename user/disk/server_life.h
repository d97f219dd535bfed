// SPDX-License-Identifier: GPL-2.0-or-later
// Starts the server before its first export and stops it: its lock, its instance, and the mark of a
// clean stop (config/instance.h).
#pragma once

#include "base/durable_file.h"
#include "base/result.h"
#include "config/instance.h"
#include "config/server_settings.h"
#include "machine/kernel.h"
#include "machine/world.h"

#include <chrono>

namespace causeway {

// Waits for the lock under which exports are added and drop-ins of exports are changed.
Result<FileLock> lock_server(const World &world);
// Does the same for a stop, but returns an error (try_again) if another command holds the lock for
// longer than the limit.
Result<FileLock> lock_server_within(World &world, std::chrono::seconds limit);

// Sends an instance to the target module, unless the module has one that may stay (plan_start()),
// and the port and the limits of server.conf. The module must be loaded, and the caller holds
// lock_server(). Returns a sentence if the server goes on listening on another port, or if the file
// cannot be read, else "".
Result<std::string> start_life(World &world);
// Sends the port of the settings to the target module, if that is loaded. Returns a sentence if the
// server goes on listening on another port, else "". The caller holds lock_server().
Result<std::string> set_server_port(World &world, const ServerSettings &settings);
// Returns the sentence for a server that goes on listening on @port.
std::string port_stays(std::uint16_t port, const ServerSettings &settings);

struct StopOutcome {
    std::size_t exports = 0; // number of exports that were ended
    StopReport report;
};
// Ends all exports. Writes the mark of a clean stop if plan_stop() allows it; removes the instance
// file if not everything was flushed. The caller holds lock_server(), or could not get it in time.
Result<StopOutcome> end_life(World &world);

} // namespace causeway
