// SPDX-License-Identifier: GPL-2.0-or-later
// Bringing one export up, for "export add" and for "restore".
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

// An export that is about to begin. What was made for it is taken back unless it begins.
class ExportStart {
  public:
    // Reads the key and sees to the ledger of owners. The module is loaded, the lock is held.
    // @discard_owners: an administrator said so.
    static Result<ExportStart> prepare(World &world, const ExportSettings &settings,
                                       bool discard_owners = false);

    // With identity, ledger and state folder, as the configuration keeps them.
    const ExportSettings &settings() const { return request_.settings; }
    // Sees to the server's instance, and adds the export.
    Result<void> go(World &world);
    // After an error of go(): the export may be there, and its ledger stays.
    bool kept() const { return kept_; }

  private:
    ExportStart() = default;

    ExportRequest request_;
    std::optional<PreparedLedger> ledger_;
    bool kept_ = false;
};

// The plan for the ledger of an export that keeps one; gives the disk an identity where it has
// none.
Result<LedgerPlan> plan_owners(World &world, ExportSettings &settings, bool discard_owners);

// Fills in what the plan for the ledger says: its UUID, and its folder where that is not the
// default one.
void take_ledger(ExportSettings &settings, const LedgerPlan &plan);

} // namespace causeway
