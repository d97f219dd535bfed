// SPDX-License-Identifier: GPL-2.0-or-later
// Prepares the ledger of a disk's owners before the kernel opens it (docs/PROTOCOL.md, section 6).
// The ledger is two files in a state folder, IDENTITY.0 and IDENTITY.1. If that is not the default
// folder, a record IDENTITY.folder in the default folder names it. The record stays after the
// export has ended.
#pragma once

#include "base/disk_settings.h"
#include "base/result.h"
#include "machine/world.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>

namespace causeway {

// Earlier owners of a disk, as far as the command knows them before it looks for the ledger.
enum class EarlierOwners {
    none,     // no host had the disk: its UUID is new
    possible, // hosts may have it attached
    discard,  // the administrator discards earlier owners
};

// The changes to make so that the kernel finds a ledger.
struct LedgerPlan {
    enum class Action { use, make, replace };

    Action action = Action::use;
    std::filesystem::path folder;
    bool default_folder = true;
    Uuid identity;
    Uuid uuid;
    std::array<std::filesystem::path, 2> places; // of the two copies
    std::filesystem::path record;
    // The record as it is and as it must become; none: no such file.
    std::optional<std::string> record_before;
    std::optional<std::string> record_after;
    // Files of a discarded ledger in another folder.
    std::vector<std::filesystem::path> to_remove;

    // Returns the changes in sentences, for --dry-run. Empty if there is nothing to do.
    std::vector<std::string> sentences() const;
};

// Reads the record, both copies and the mounts, and changes nothing. @settings must have an
// identity and keep a ledger in files.
Result<LedgerPlan> plan_ledger(World &world, const ExportSettings &settings, EarlierOwners owners);

// A plan that was carried out. Without keep(), the destructor reverts it; the kernel must not have
// opened the new files then.
class PreparedLedger {
  public:
    // Makes the changes of the plan. After an error, reverts a new or replaced ledger.
    static Result<PreparedLedger> prepare(LedgerPlan plan);

    PreparedLedger(PreparedLedger &&other) noexcept;
    PreparedLedger &operator=(PreparedLedger &&) = delete;
    PreparedLedger(const PreparedLedger &) = delete;
    PreparedLedger &operator=(const PreparedLedger &) = delete;
    ~PreparedLedger();

    const LedgerPlan &plan() const { return plan_; }
    // Call this when the kernel has opened the ledger. Removes the discarded files.
    void keep();

  private:
    explicit PreparedLedger(LedgerPlan plan) : plan_(std::move(plan)) {}
    Result<void> write_record();
    Result<void> make();
    Result<void> replace();
    Result<void> complete();
    void take_back();

    LedgerPlan plan_;
    bool active_ = false;
    bool record_written_ = false;
    std::vector<std::filesystem::path> made_;
    // Temporary names of discarded files, until keep().
    std::array<std::filesystem::path, 2> set_aside_;
};

} // namespace causeway
