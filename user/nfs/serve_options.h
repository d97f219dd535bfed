// SPDX-License-Identifier: GPL-2.0-or-later
// The options of "nfs serve" and "nfs set", and the settings that a drop-in of exports(5) has.
#pragma once

#include "base/answer.h"
#include "command/arguments.h"
#include "machine/world.h"
#include "nfs/server.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace causeway {

// Takes --to and --allow. Returns an error if they contradict each other. @needed: one of them must
// be there.
Result<void> take_clients(const Arguments &arguments, bool needed, ServeSettings &settings);
// Returns the value of --options, or an error if it cannot be in a line of exports(5).
Result<std::string> export_options_of(const Arguments &arguments);

// Returns an error if exportfs is not installed.
Result<void> check_exportfs(World &world);

// Reads a drop-in that exports_text() wrote. Returns none if its line has another form, because an
// administrator changed it.
std::optional<ServeSettings> settings_of_exports(std::string_view text);

// Returns "everyone" or the networks.
std::string clients_text(const ServeSettings &settings);
// Returns the command that gives a folder these settings: "causeway nfs set /srv --to ...".
std::string set_command(const ServeSettings &settings);

// The answer for one served folder, for "nfs serve" and "nfs set".
Answer served_answer(const ServeSettings &settings, std::uint16_t port, bool listens);

} // namespace causeway
