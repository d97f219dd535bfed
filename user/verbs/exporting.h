// SPDX-License-Identifier: GPL-2.0-or-later
// Bringing one export up, for "export add" and for "restore".
#pragma once

#include "base/result.h"
#include "command/world.h"
#include "config/settings.h"

#include <optional>

namespace causeway {

// The backend is there and of the kind that was said.
Result<void> check_backend(const ExportSettings &settings);

// The export of this name that runs now. One that is ending does not count.
Result<std::optional<ExportInfo>> running_export(World &world, const std::string &name);

// An error that names what is different; ok where there and wanted are the same.
Result<void> same_export(const ExportInfo &there, const ExportSettings &wanted,
                         const std::optional<ExportSettings> &configured);

// Reads the key, sees to the server's instance and adds it. The module is loaded, the lock is held.
Result<void> bring_up(World &world, const ExportSettings &settings);

} // namespace causeway
