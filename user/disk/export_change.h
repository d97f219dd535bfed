// SPDX-License-Identifier: GPL-2.0-or-later
// The change that adds or removes an export by Causeway's own transport.
#pragma once

#include "base/disk_settings.h"
#include "change/change.h"
#include "config/dropins.h"
#include "disk/served_addresses.h"
#include "machine/kernel.h"
#include "owners/ledger.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace causeway {

struct ExportState {
    // The settings after complete(). A memory disk has no UUID here: it gets a new one at each
    // start.
    ExportSettings settings;
    // The export had a key, but the name of the key file is unknown, so undo cannot add it again.
    bool key_unknown = false;
    bool owners_discarded = false; // the addition discarded the former owners
};

// Returns the state of a running export. @configured: the settings that name its key file.
ExportState state_of(const ExportInfo &info, const std::optional<ExportSettings> &configured);

// How a verb adds or removes an export. The journal does not contain this.
struct ExportWay {
    // True: the verb holds lock_server() since it read the state, and complete() has planned
    // @ledger. False, as in an undo: the change takes the lock and calls complete() itself.
    bool locked = false;
    std::optional<LedgerPlan> ledger{};
    // The drop-in if it names a ledger that is discarded. It then names no ledger while the export
    // starts: otherwise the export could not start after a crash in between.
    std::optional<Stored<ExportSettings>> names_discarded{};
    // The list for exports without addresses of their own, which "restore" makes once.
    std::shared_ptr<CommonAddresses> common_addresses{};
    bool loads = false; // the module is not loaded yet, for --dry-run
    // For a removal:
    bool force = false;
    bool ending = false;              // it was removed before, but has not ended yet
    std::uint32_t sessions = 0;       // for --dry-run
    std::string *unflushed = nullptr; // set to the reason why the disk was not flushed
};

// @added: the change adds the export; else removes it.
ChangePointer change_export(ExportState state, bool added, ExportWay way = {});

// The ChangeKind of a drop-in that is written or removed together with its export. Undo changes it
// under lock_server(), and leaves it if the export was added or removed again since.
extern const char *const kind_export_dropin;
// Returns DropinWay::permit for the drop-in of an export that the set adds (@added) or removes. It
// takes lock_server(), and permits the change only if the export runs or does not run accordingly.
// A verb that adds an export holds the lock and needs no permit.
std::function<Result<std::optional<FileLock>>(World &, Direction)> permit_dropin(std::string name,
                                                                                 bool added);

// Returns the words of --allow for these settings.
std::vector<std::string> allow_words(const ExportSettings &settings);

// "device /dev/sdb", "64M of memory".
std::string backend_phrase(const ExportSettings &settings);

// Returns the end of a sentence, "; to export the same disk again, give: --uuid ...". Empty for a
// memory disk or without a UUID. With another UUID the disk has no owners and no evicted hosts.
std::string same_disk_again(const ExportSettings &settings);

} // namespace causeway
