// SPDX-License-Identifier: GPL-2.0-or-later
// Checks and completes the settings of one export, for "export add", "restore" and undo.
#pragma once

#include "base/disk_settings.h"
#include "base/result.h"
#include "machine/kernel.h"
#include "machine/world.h"
#include "owners/ledger.h"

#include <optional>

namespace causeway {

// Returns true if no setting names the hosts that may attach: neither networks, nor "any", nor a
// key. Files of earlier versions may be so, and the export is open to every host then.
bool admits_by_nothing(const ExportSettings &settings);
// Returns true if a running export is not open to every host.
bool is_restricted(const ExportInfo &running);

// Returns an error unless the backend exists and is of the stated kind. The size of a memory disk
// must be a multiple of 4096 bytes.
Result<void> check_backend(const ExportSettings &settings);

// Returns the running export of this name. An export that is ending does not count.
Result<std::optional<ExportInfo>> running_export(World &world, const std::string &name);

// Returns an error that names the settings in which the running export @there differs from @wanted.
// The kernel reports only whether there is a key, so the key file is taken from @configured.
Result<void> same_export(const ExportInfo &there, const ExportSettings &wanted,
                         const std::optional<ExportSettings> &configured);

// Returns the plan for the ledger of an export that keeps one. Sets a random identity if the
// settings have none.
Result<LedgerPlan> plan_owners(World &world, ExportSettings &settings, bool discard_owners);

// Sets what a disk keeps as long as it is exported, now and later: its identity and, if it keeps a
// ledger, the ledger's UUID and the ledger's folder unless that is the default one. Sets nothing
// for a memory disk. Returns the plan for the ledger, if any. The caller holds lock_server().
// @discard_owners: an administrator discards the earlier owners.
Result<std::optional<LedgerPlan>> complete(World &world, ExportSettings &settings,
                                           bool discard_owners = false);

// Returns the mode of the export's drop-in: 0600 if it names a key file, else 0644.
unsigned int export_file_mode(const ExportSettings &settings);

} // namespace causeway
