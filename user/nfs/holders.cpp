// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/holders.h"

#include "host/backing_files.h"
#include "host/mount_table.h"
#include "nfs/mounts.h"
#include "nfs/same_server.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace causeway {

namespace {

constexpr const char *exports = "/proc/fs/nfsd/exports";

std::vector<std::string> mounts_inside(const std::vector<MountLine> &table,
                                       const std::string &directory) {
    std::vector<std::string> folders;
    for (const MountLine &line : table) {
        if (lies_below(line.directory, directory)) {
            folders.push_back(line.directory);
        }
    }
    return folders;
}

bool lies_in(std::string_view path, std::string_view directory) {
    return path == directory || lies_below(path, directory);
}

} // namespace

std::vector<MountUser> kernel_users(KernelFiles &files, const std::string &directory) {
    std::vector<MountUser> users;
    for (const LoopDevice &loop : loop_devices(files)) {
        if (lies_in(loop.file, directory)) {
            users.push_back({0, fmt::format("loop device {}", loop.name)});
        }
    }
    for (const std::string &path : swap_areas(files)) {
        if (lies_in(path, directory)) {
            users.push_back({0, fmt::format("swap file {}", path)});
        }
    }
    for (const std::string &path : paths_of_lines(text_of(files, exports))) {
        if (lies_in(path, directory)) {
            users.push_back({0, fmt::format("export {} by nfsd", path)});
        }
    }
    return users;
}

Result<std::string> why_busy(World &world, const std::string &directory,
                             const std::vector<std::string> &leaving) {
    auto users = world.mount_use.users(directory);
    const auto more = kernel_users(world.files, directory);
    users.insert(users.end(), more.begin(), more.end());
    if (!users.empty()) {
        return fmt::format("{} is busy{}", directory, users_text(users));
    }
    const auto text = TRY(world.files.read(mountinfo_place));
    const auto table = visible_mounts(text.value_or(std::string()));
    const auto mounts = TRY(nfs_mounts(world.files));
    const auto inside = mounts_inside(table, directory);
    if (inside.empty()) {
        return world.mount_use.is_busy(directory) ? fmt::format("{} is busy", directory) : "";
    }
    for (const std::string &folder : inside) {
        if (std::find(leaving.begin(), leaving.end(), folder) != leaving.end()) {
            continue; // asked on its own
        }
        const auto mount = std::find_if(mounts.begin(), mounts.end(), [&](const NfsMount &each) {
            return each.directory == folder;
        });
        if (mount == mounts.end() || !is_submount(mounts, *mount)) {
            return fmt::format("{} is busy: {} is mounted inside", directory, folder);
        }
        if (mounts_inside(table, folder).empty() && world.mount_use.is_busy(folder)) {
            return fmt::format("{} is busy: {} inside is busy", directory, folder);
        }
    }
    return std::string();
}

} // namespace causeway
