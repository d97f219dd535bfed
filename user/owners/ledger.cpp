// SPDX-License-Identifier: GPL-2.0-or-later
#include "owners/ledger.h"

#include "base/durable_file.h"
#include "owners/ledger_copy.h"
#include "owners/own_disk.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr unsigned int secret_file = 0600;
constexpr unsigned int secret_folder = 0700;
constexpr const char *discards = "That discards the owners: all hosts that have the disk attached "
                                 "have to detach and attach, and "
                                 "evicted hosts must be evicted again";

using Copies = std::array<LedgerCopy, 2>;
using CopyPlaces = std::array<fs::path, 2>;

CopyPlaces places_of(const fs::path &folder, const Uuid &identity) {
    return {folder / (identity.text() + ".0"), folder / (identity.text() + ".1")};
}

Copies look(const CopyPlaces &places) {
    return {read_ledger_copy(places[0]), read_ledger_copy(places[1])};
}

bool any_there(const Copies &copies) {
    return std::any_of(copies.begin(), copies.end(), [](const LedgerCopy &copy) {
        return copy.state != LedgerCopy::State::absent;
    });
}

// Returns why a copy cannot belong to the ledger of this export, or "".
std::string why_not(const LedgerCopy &copy, const ExportSettings &settings) {
    switch (copy.state) {
    case LedgerCopy::State::absent:
        return "there is no such file";
    case LedgerCopy::State::unreadable:
        return copy.fault;
    case LedgerCopy::State::readable:
        break;
    }
    if (copy.head.identity != *settings.identity) {
        return fmt::format("it is the ledger of the disk {}", copy.head.identity.text());
    }
    if (settings.ledger && copy.head.uuid != *settings.ledger) {
        return fmt::format("it is the ledger {}, and the export's is {}", copy.head.uuid.text(),
                           settings.ledger->text());
    }
    return {};
}

// Returns the usable copy with the highest generation; null if no copy can be used.
const LedgerCopy *best(const Copies &copies, const ExportSettings &settings) {
    const LedgerCopy *found = nullptr;
    for (const LedgerCopy &copy : copies) {
        if (why_not(copy, settings).empty() &&
            (found == nullptr || copy.head.generation > found->head.generation)) {
            found = &copy;
        }
    }
    return found;
}

// A folder that is not mounted yet looks the same, so the command may succeed later.
Error not_in_folder(const ExportSettings &settings, const LedgerPlan &plan) {
    return Error{ExitCode::unavailable,
                 fmt::format("the ledger with the owners of '{}' is not in {}: there is neither {} "
                             "nor {}",
                             settings.name, plan.folder.string(), plan.places[0].string(),
                             plan.places[1].string()),
                 fmt::format("mount the folder, or give \"causeway export add {}\" the option "
                             "--forget-owners. {}",
                             settings.name, discards)};
}

Error unusable(const ExportSettings &settings, const CopyPlaces &places, const Copies &copies) {
    return Error{ExitCode::bad_config,
                 fmt::format("the ledger with the owners of '{}' cannot be used: {}: {}; {}: {}",
                             settings.name, places[0].string(), why_not(copies[0], settings),
                             places[1].string(), why_not(copies[1], settings)),
                 fmt::format("put these files back, or give \"causeway export add {}\" the option "
                             "--forget-owners. {}",
                             settings.name, discards)};
}

Error elsewhere(const ExportSettings &settings, const fs::path &home, const fs::path &asked) {
    const CopyPlaces places = places_of(home, *settings.identity);
    return Error{ExitCode::failed,
                 fmt::format("the ledger with the owners of '{}' is in {}, not in {}",
                             settings.name, home.string(), asked.string()),
                 fmt::format("move {} and {} there first, or give --forget-owners. {}",
                             places[0].string(), places[1].string(), discards)};
}

// Only the default folder is made if it is missing. Any other folder must exist.
Result<void> check_folder(const fs::path &folder) {
    struct stat status {};
    if (::stat(folder.c_str(), &status) != 0) {
        const int number = errno;
        return Error{number == EACCES ? ExitCode::no_permission : ExitCode::unavailable,
                     fmt::format("the state folder {} cannot be used: {}", folder.string(),
                                 std::strerror(number)),
                     "mount it or make it first", number};
    }
    if (!S_ISDIR(status.st_mode)) {
        return Error{ExitCode::unavailable,
                     fmt::format("the state folder {} is not a folder", folder.string()),
                     "give a folder"};
    }
    if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
        return Error{ExitCode::bad_config,
                     fmt::format("the state folder {} belongs to user {}, who could change the "
                                 "owners of disks in it",
                                 folder.string(), status.st_uid),
                     fmt::format("chown root {}", folder.string())};
    }
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return Error{ExitCode::bad_config,
                     fmt::format("others can write to the state folder {} (mode {:04o}), and "
                                 "change the owners of disks in it",
                                 folder.string(), status.st_mode & 07777U),
                     fmt::format("chmod go-w {}", folder.string())};
    }
    return {};
}

bool same_folder(const fs::path &one, const fs::path &other) {
    std::error_code failure;
    return one == other || fs::equivalent(one, other, failure);
}

// Returns the folder, or its nearest existing parent.
fs::path nearest_folder(fs::path folder) {
    std::error_code failure;
    while (!fs::exists(folder, failure) && folder.has_relative_path()) {
        folder = folder.parent_path();
    }
    return folder;
}

Result<std::optional<fs::path>> recorded_folder(const LedgerPlan &plan) {
    if (!plan.record_before) {
        return std::optional<fs::path>();
    }
    const std::string line = plan.record_before->substr(0, plan.record_before->find('\n'));
    if (line.empty() || line.front() != '/') {
        return Error{ExitCode::bad_config,
                     fmt::format("{} does not name the folder of a ledger", plan.record.string()),
                     "write the folder's absolute path into it, or remove the file if the ledger "
                     "is in the folder of this file"};
    }
    return std::optional(fs::path(plain_folder(line)));
}

Result<void> no_export_has_it(World &world, const ExportSettings &settings) {
    auto exports = TRY(world.kernel.exports());
    for (const ExportInfo &info : exports) {
        if (info.settings.identity == settings.identity) {
            return Error{ExitCode::try_again,
                         fmt::format("the owners of '{}' cannot be discarded while the export '{}' "
                                     "of the same disk is there",
                                     settings.name, info.settings.name),
                         info.ending ? "wait until it has ended: causeway export list"
                                     : fmt::format("causeway export remove {}", info.settings.name),
                         EBUSY};
        }
    }
    return {};
}

} // namespace

std::vector<std::string> LedgerPlan::sentences() const {
    std::vector<std::string> all;
    if (action == Action::make) {
        all.push_back(fmt::format("make a ledger of the disk's owners in {}", folder.string()));
    } else if (action == Action::replace) {
        all.push_back(fmt::format("discard the owners of the disk and make a new ledger in {}",
                                  folder.string()));
    }
    return all;
}

namespace {

// Sets in the plan where the ledger must be. Returns the folder that has it now, according to the
// record, else the default folder.
Result<fs::path> choose_folder(World &world, const ExportSettings &settings, LedgerPlan &plan) {
    plan.record = world.places.owners() / (plan.identity.text() + ".folder");
    plan.record_before = TRY(read_small_file(plan.record));
    auto recorded = TRY(recorded_folder(plan));
    const fs::path home = recorded.value_or(world.places.owners());
    plan.folder = settings.state_folder.empty() ? home : fs::path(settings.state_folder);
    if (same_folder(plan.folder, home)) {
        plan.folder = home;
    }
    plan.default_folder = plan.folder == world.places.owners();
    plan.places = places_of(plan.folder, plan.identity);
    if (!plan.default_folder) {
        plan.record_after = plan.folder.string() + "\n";
        TRY(check_folder(plan.folder));
    }
    TRY(check_not_on_own_disk(world, nearest_folder(plan.folder), plan.identity));
    return home;
}

// The ledger moves to another folder only if the one in the old folder is discarded.
Result<void> leave_old_folder(const ExportSettings &settings, const fs::path &home, bool is_here,
                              bool forget, LedgerPlan &plan) {
    if (plan.folder == home) {
        return {};
    }
    const CopyPlaces old = places_of(home, plan.identity);
    const bool is_there = any_there(look(old));
    if (!forget && (is_there || (plan.record_before && !is_here))) {
        return elsewhere(settings, home, plan.folder);
    }
    if (is_there) {
        plan.to_remove.assign(old.begin(), old.end());
    }
    return {};
}

// Plans to use the existing ledger, or to make a new one if none can exist.
Result<void> use_or_make(const ExportSettings &settings, const Copies &copies, EarlierOwners owners,
                         LedgerPlan &plan) {
    if (const LedgerCopy *copy = best(copies, settings)) {
        plan.uuid = copy->head.uuid;
        return {};
    }
    const bool is_here = any_there(copies);
    // Another server that shares the folder may have made files there.
    if (!is_here && !plan.default_folder &&
        (owners == EarlierOwners::possible || plan.record_before)) {
        return not_in_folder(settings, plan);
    }
    if (is_here || settings.ledger) {
        return unusable(settings, plan.places, copies);
    }
    plan.action = LedgerPlan::Action::make;
    plan.uuid = Uuid::random();
    return {};
}

} // namespace

Result<LedgerPlan> plan_ledger(World &world, const ExportSettings &settings, EarlierOwners owners) {
    const bool forget = owners == EarlierOwners::discard;
    LedgerPlan plan;
    plan.identity = *settings.identity;
    auto home = TRY(choose_folder(world, settings, plan));
    if (forget) {
        TRY(no_export_has_it(world, settings));
    }
    const Copies copies = look(plan.places);
    const bool is_here = any_there(copies);
    TRY(leave_old_folder(settings, home, is_here, forget, plan));
    for (std::size_t i = 0; i < copies.size(); i++) {
        if (!copies[i].regular) {
            return Error{ExitCode::bad_config,
                         fmt::format("{} is not a regular file", plan.places[i].string()),
                         "move it away: a copy of the ledger with the disk's owners has this name"};
        }
    }
    if (forget) {
        plan.action =
            is_here || plan.record_before ? LedgerPlan::Action::replace : LedgerPlan::Action::make;
        plan.uuid = Uuid::random();
        return plan;
    }
    TRY(use_or_make(settings, copies, owners, plan));
    return plan;
}

PreparedLedger::PreparedLedger(PreparedLedger &&other) noexcept
    : plan_(std::move(other.plan_)), active_(std::exchange(other.active_, false)),
      record_written_(other.record_written_), made_(std::move(other.made_)),
      set_aside_(std::move(other.set_aside_)) {}

PreparedLedger::~PreparedLedger() {
    if (active_) {
        try {
            take_back();
        } catch (const std::exception &) {
            // The files that stay are a ledger without owners, and no configuration names it.
        }
    }
}

Result<PreparedLedger> PreparedLedger::prepare(LedgerPlan plan) {
    PreparedLedger prepared(std::move(plan));
    prepared.active_ = true;
    TRY(prepared.write_record());
    const LedgerPlan::Action action = prepared.plan_.action;
    TRY(action == LedgerPlan::Action::use    ? prepared.complete()
        : action == LedgerPlan::Action::make ? prepared.make()
                                             : prepared.replace());
    return prepared;
}

// Writes the record before the ledger's files. Without the record, a later run would not find files
// in that folder.
Result<void> PreparedLedger::write_record() {
    TRY(make_folder_durably(plan_.record.parent_path(), secret_folder));
    if (plan_.record_after == plan_.record_before) {
        return {};
    }
    record_written_ = true;
    if (!plan_.record_after) {
        // The files are in the default folder now.
        auto removed = remove_durably(plan_.record);
        return removed ? Result<void>() : removed.error();
    }
    return write_durably(plan_.record, *plan_.record_after, secret_file);
}

namespace {

Result<StagedFile> stage(const fs::path &place, const std::string &image) {
    return StagedFile::write(place, image, secret_file, StagedFile::Space::reserved);
}

class Image {
  public:
    explicit Image(const LedgerPlan &plan)
        : text_(new_ledger_image({plan.uuid, plan.identity, 1})) {}
    Image(const Image &) = delete;
    Image &operator=(const Image &) = delete;
    ~Image() { explicit_bzero(text_.data(), text_.size()); }

    const std::string &text() const { return text_; }

  private:
    std::string text_;
};

} // namespace

Result<void> PreparedLedger::make() {
    const Image image(plan_);
    std::vector<StagedFile> staged;
    for (const fs::path &place : plan_.places) {
        auto file = TRY(stage(place, image.text()));
        staged.push_back(std::move(file));
    }
    for (std::size_t i = 0; i < staged.size(); i++) {
        TRY(staged[i].commit_new());
        made_.push_back(plan_.places.at(i));
    }
    return {};
}

// Replaces the second copy first. After a crash in between, the first copy has the old ledger,
// which the configuration still names.
Result<void> PreparedLedger::replace() {
    const Image image(plan_);
    for (const std::size_t i : {std::size_t{1}, std::size_t{0}}) {
        const fs::path &place = plan_.places.at(i);
        auto file = TRY(stage(place, image.text()));
        const fs::path aside = place.parent_path() / ("." + place.filename().string() + ".old");
        ::unlink(aside.c_str());
        if (::link(place.c_str(), aside.c_str()) == 0) {
            set_aside_.at(i) = aside;
        } else if (const int number = errno; number != ENOENT) {
            return Error{ExitCode::failed,
                         fmt::format("cannot keep {} as {}: {}", place.string(), aside.string(),
                                     std::strerror(number)),
                         "", number};
        }
        TRY(file.commit());
        made_.push_back(place);
    }
    return {};
}

// The kernel opens both copies and must not need space later, so a missing or short copy gets its
// full size. The kernel finds no ledger in such a copy, and writes one.
Result<void> PreparedLedger::complete() {
    for (const fs::path &place : plan_.places) {
        const LedgerCopy copy = read_ledger_copy(place);
        if (copy.state == LedgerCopy::State::absent) {
            auto file = TRY(stage(place, std::string(ledger_file_size(), '\0')));
            TRY(file.commit_new());
        } else if (copy.size < ledger_file_size()) {
            TRY(reserve_durably(place, ledger_file_size()));
        }
    }
    return {};
}

void PreparedLedger::keep() {
    active_ = false;
    for (const fs::path &aside : set_aside_) {
        if (!aside.empty()) {
            ::unlink(aside.c_str());
        }
    }
    for (const fs::path &old : plan_.to_remove) {
        ::unlink(old.c_str());
    }
}

void PreparedLedger::take_back() {
    for (std::size_t i = 0; i < plan_.places.size(); i++) {
        const fs::path &place = plan_.places[i];
        const bool made = std::find(made_.begin(), made_.end(), place) != made_.end();
        if (!set_aside_[i].empty()) {
            ::rename(set_aside_[i].c_str(), place.c_str());
            ::unlink(set_aside_[i].c_str());
        } else if (made) {
            ::unlink(place.c_str());
        }
    }
    static_cast<void>(sync_folder(plan_.folder));
    if (!record_written_) {
        return;
    }
    if (plan_.record_before) {
        static_cast<void>(write_durably(plan_.record, *plan_.record_before, secret_file));
    } else {
        static_cast<void>(remove_durably(plan_.record));
    }
}

} // namespace causeway
