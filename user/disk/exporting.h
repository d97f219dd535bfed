// SPDX-License-Identifier: GPL-2.0-or-later
// What one export needs, for "export add", "restore" and undo.
#pragma once

#include "base/disk_settings.h"
#include "base/result.h"
#include "machine/kernel.h"
#include "machine/world.h"
#include "owners/ledger.h"

#include <optional>

namespace causeway {

// The backend is there and of the kind that was said.
Result<void> check_backend(const ExportSettings &settings);

// The export of this name that runs now. One that is ending does not count.
Result<std::optional<ExportInfo>> running_export(World &world, const std::string &name);

// An error that names what is different; ok where there and wanted are the same.
Result<void> same_export(const ExportInfo &there, const ExportSettings &wanted,
                         const std::optional<ExportSettings> &configured);

// The plan for the ledger of an export that keeps one; gives the disk an identity where it has
// none.
Result<LedgerPlan> plan_owners(World &world, ExportSettings &settings, bool discard_owners);

// Fills in what an export has for as long as it lasts: its identity, its ledger, and the ledger's
// folder where that is not the default one. A memory disk has none of them. Returns the plan for
// the ledger. The lock is held. @discard_owners: an administrator said so.
Result<std::optional<LedgerPlan>> complete(World &world, ExportSettings &settings,
                                           bool discard_owners = false);

// The mode of its drop-in.
unsigned int export_file_mode(const ExportSettings &settings);

} // namespace causeway
