// SPDX-License-Identifier: GPL-2.0-or-later
// An export by Causeway's own transport as a change: added or removed.
#pragma once

#include "base/disk_settings.h"
#include "change/change.h"
#include "config/dropins.h"
#include "machine/kernel.h"
#include "owners/ledger.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace causeway {

struct ExportState {
    ExportSettings
        settings; // complete(), but for the UUID of a memory disk, which is new each time
    // The export had a key, and the name of the key file is not known: undo cannot add it again.
    bool key_unknown = false;
    bool owners_discarded = false; // when it was added
};

// The state of an export that runs.
ExportState state_of(const ExportInfo &info, const std::optional<ExportSettings> &configured);

// How a verb adds or removes an export; the journal does not keep it.
struct ExportWay {
    // An export is added under lock_server(), which the verb holds since it looked, and with the
    // ledger that complete() planned then. An undo takes the lock and plans by itself.
    bool locked = false;
    std::optional<LedgerPlan> ledger{};
    // Its drop-in names a ledger that is discarded. The drop-in names none while the export begins:
    // otherwise the export could not start after a crash in between.
    std::optional<Stored<ExportSettings>> names_discarded{};
    bool loads = false; // the module is not loaded yet, for --dry-run
    // Of a removal.
    bool force = false;
    bool ending = false;              // it was removed already and is not gone yet
    std::uint32_t sessions = 0;       // for --dry-run
    std::string *unflushed = nullptr; // set to the reason where the disk was not flushed
};

ChangePointer change_export(ExportState state, bool added, ExportWay way = {});

// The kind of the drop-in that comes and goes with an export. An undo changes it under
// lock_server(), and leaves it if the export was added or removed again meanwhile.
extern const char *const kind_export_dropin;
// The permit to change the drop-in of an export that is @added or removed. The verbs that add one
// hold the lock and need no permit.
std::function<Result<std::optional<FileLock>>(World &, Direction)> permit_dropin(std::string name,
                                                                                 bool added);

// "device /dev/sdb", "64M of memory".
std::string backend_phrase(const ExportSettings &settings);

// The sentence that says what brings the same disk back; empty of a disk that does not last. With
// another UUID the disk has no owners and no evicted hosts.
std::string same_disk_again(const ExportSettings &settings);

} // namespace causeway
