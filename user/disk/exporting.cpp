// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/exporting.h"

#include "base/units.h"
#include "config/key_file.h"
#include "disk/server_life.h"
#include "show/words.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

namespace causeway {

namespace {

constexpr std::uint64_t page = 4096;

Error bad_backend(const ExportSettings &settings, std::string_view why, std::string fix) {
    return Error{ExitCode::unavailable,
                 fmt::format("the {} {} {}", backend_text(settings.backend), settings.path, why),
                 std::move(fix)};
}

Result<void> check_memory(std::uint64_t size) {
    if (size == 0 || size % page != 0) {
        const std::uint64_t up = std::max(page, (size + page - 1) / page * page);
        return Error{ExitCode::usage, fmt::format("--ram {} is not a multiple of 4096 bytes", size),
                     fmt::format("give --ram {}", size_exact(up))};
    }
    return {};
}

} // namespace

Result<void> check_backend(const ExportSettings &settings) {
    if (settings.backend == Backend::ram) {
        return check_memory(settings.size);
    }
    struct stat status {};
    if (::stat(settings.path.c_str(), &status) != 0) {
        const int number = errno;
        Error error =
            bad_backend(settings, fmt::format("cannot be used: {}", std::strerror(number)), "");
        error.system_error = number;
        if (number == ENOENT && settings.backend == Backend::file) {
            error.fix = fmt::format("make it first, such as: truncate -s 10G {}", settings.path);
        } else if (number == ENOENT) {
            error.fix = "see which devices there are: lsblk --paths";
        }
        return error;
    }
    if (settings.backend == Backend::device && !S_ISBLK(status.st_mode)) {
        return bad_backend(settings, "is not a block device",
                           S_ISREG(status.st_mode) ? fmt::format("give --file {}", settings.path)
                                                   : "see which devices there are: lsblk --paths");
    }
    if (settings.backend == Backend::file && !S_ISREG(status.st_mode)) {
        return bad_backend(settings, "is not a regular file",
                           S_ISBLK(status.st_mode)
                               ? fmt::format("give --device {}", settings.path)
                               : "make one and give that, such as: truncate -s 10G FILE");
    }
    if (settings.backend == Backend::file && status.st_size == 0) {
        return bad_backend(
            settings, "is empty",
            fmt::format("give it a size, such as: truncate -s 10G {}", settings.path));
    }
    return {};
}

Result<std::optional<ExportInfo>> running_export(World &world, const std::string &name) {
    auto exports = TRY(world.kernel.exports());
    const auto found = std::find_if(exports.begin(), exports.end(), [&](const ExportInfo &info) {
        return !info.ending && info.settings.name == name;
    });
    return found == exports.end() ? std::optional<ExportInfo>() : std::optional(*found);
}

Result<void> same_export(const ExportInfo &there, const ExportSettings &wanted,
                         const std::optional<ExportSettings> &configured) {
    ExportSettings running = there.settings;
    // The kernel tells only whether there is a key.
    if (there.has_key) {
        running.key_file = configured && !configured->key_file.empty() ? configured->key_file
                           : wanted.key_file.empty()                   ? "set"
                                                                       : wanted.key_file;
    }
    const auto different = differences(running, wanted);
    if (different.empty()) {
        return {};
    }
    return Error{
        ExitCode::failed,
        fmt::format("the export '{}' is there with other settings, which cannot be changed: {}",
                    wanted.name, fmt::join(different, ", ")),
        remove_then_add(there.settings)};
}

Result<LedgerPlan> plan_owners(World &world, ExportSettings &settings, bool discard_owners) {
    EarlierOwners owners = EarlierOwners::possible;
    if (!settings.identity) {
        settings.identity = Uuid::random();
        owners = EarlierOwners::none;
    }
    return plan_ledger(world, settings, discard_owners ? EarlierOwners::discard : owners);
}

Result<std::optional<LedgerPlan>> complete(World &world, ExportSettings &settings,
                                           bool discard_owners) {
    if (settings.keeps_ledger()) {
        auto plan = TRY(plan_owners(world, settings, discard_owners));
        settings.ledger = plan.uuid;
        settings.state_folder = plan.default_folder ? "" : plan.folder.string();
        return std::optional(std::move(plan));
    }
    if (settings.backend != Backend::ram && !settings.identity) {
        settings.identity = Uuid::random();
    }
    return std::optional<LedgerPlan>();
}

unsigned int export_file_mode(const ExportSettings &settings) {
    return settings.key_file.empty() ? 0644 : 0600;
}

} // namespace causeway
