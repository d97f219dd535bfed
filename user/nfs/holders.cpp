// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/holders.h"

#include "host/backing_files.h"
#include "nfs/same_server.h"

#include <fmt/format.h>
#include <string_view>

namespace causeway {

namespace {

constexpr const char *exports = "/proc/fs/nfsd/exports";

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

} // namespace causeway
