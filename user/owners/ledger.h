// SPDX-License-Identifier: GPL-2.0-or-later
// The ledger of a disk's owners, before the kernel opens it (docs/PROTOCOL.md, section 6). It is
// two files in a state folder, IDENTITY.0 and IDENTITY.1. Where that is not the default folder, a
// record IDENTITY.folder in the default folder says so: it outlasts the export.
#pragma once

#include "base/disk_settings.h"
#include "base/result.h"
#include "machine/world.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>

namespace causeway {

// What is known of a disk's owners before its ledger is looked for.
enum class EarlierOwners {
    none,     // nobody had the disk: its UUID is new
    possible, // hosts may have it attached
    discard,  // the administrator discards them
};

// What has to be done so that the kernel finds a ledger.
struct LedgerPlan {
    enum class Deed { use, make, replace };

    Deed deed = Deed::use;
    std::filesystem::path folder;
    bool default_folder = true;
    Uuid identity;
    Uuid uuid;
    std::array<std::filesystem::path, 2> places; // of the copies
    std::filesystem::path record;
    // The record as it is and as it has to be; none: there is no such file.
    std::optional<std::string> record_before;
    std::optional<std::string> record_after;
    // Of owners that are discarded, in another folder.
    std::vector<std::filesystem::path> to_remove;

    // For --dry-run: what will be done, none where that is nothing.
    std::vector<std::string> sentences() const;
};

// Reads what is there, and changes nothing. @settings has an identity and keeps a ledger.
Result<LedgerPlan> plan_ledger(World &world, const ExportSettings &settings, EarlierOwners owners);

// A plan that was carried out. Unless it is kept, the destructor takes back what was made; nobody
// may have opened the new files then.
class PreparedLedger {
  public:
    static Result<PreparedLedger> prepare(LedgerPlan plan);

    PreparedLedger(PreparedLedger &&other) noexcept;
    PreparedLedger &operator=(PreparedLedger &&) = delete;
    PreparedLedger(const PreparedLedger &) = delete;
    PreparedLedger &operator=(const PreparedLedger &) = delete;
    ~PreparedLedger();

    const LedgerPlan &plan() const { return plan_; }
    // The kernel has the ledger. Removes what was discarded.
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
    // Discarded files under the names that they have until the new ones are kept.
    std::array<std::filesystem::path, 2> set_aside_;
};

} // namespace causeway
