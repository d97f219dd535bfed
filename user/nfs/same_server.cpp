// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/same_server.h"

#include <algorithm>
#include <causeway.h>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

namespace causeway {

namespace {

bool lies_below(std::string_view path, const std::string &folder) {
    return path.size() > folder.size() && path.substr(0, folder.size()) == folder &&
           path[folder.size()] == '/';
}

// "server:/" and "/a" are "server:/a".
std::string source_below(const std::string &source, std::string_view rest) {
    return (source.back() == '/' ? source.substr(0, source.size() - 1) : source) +
           std::string(rest);
}

} // namespace

bool same_server(const NfsMount &one, const NfsMount &other) {
    return one.address.empty() || other.address.empty() ? one.server() == other.server()
                                                        : one.address == other.address;
}

bool share_client(const NfsMount &one, const NfsMount &other) {
    return same_server(one, other) && one.version == other.version &&
           (one.version == "4.1" || one.version == "4.2");
}

std::vector<NfsMount> joined_by_tcp(const std::vector<NfsMount> &mounts,
                                    const std::string &directory) {
    const auto own = std::find_if(mounts.begin(), mounts.end(), [&](const NfsMount &mount) {
        return mount.directory == directory;
    });
    std::vector<NfsMount> joined;
    if (own == mounts.end()) {
        return joined;
    }
    std::copy_if(mounts.begin(), mounts.end(), std::back_inserter(joined),
                 [&](const NfsMount &mount) {
                     return mount.directory != directory && mount.transport == CW_TRANSPORT_TCP &&
                            share_client(*own, mount) && !is_submount(mounts, mount);
                 });
    return joined;
}

bool is_submount(const std::vector<NfsMount> &mounts, const NfsMount &mount) {
    return std::any_of(mounts.begin(), mounts.end(), [&](const NfsMount &above) {
        return lies_below(mount.directory, above.directory) &&
               mount.source ==
                   source_below(above.source,
                                std::string_view(mount.directory).substr(above.directory.size()));
    });
}

bool holds_mounts(const std::vector<NfsMount> &mounts, const std::string &directory) {
    return std::any_of(mounts.begin(), mounts.end(), [&](const NfsMount &mount) {
        return lies_below(mount.directory, directory);
    });
}

std::vector<std::string> directories_of(const std::vector<NfsMount> &mounts) {
    std::vector<std::string> names;
    for (const NfsMount &mount : mounts) {
        names.push_back(mount.directory);
    }
    return names;
}

std::string users_text(const std::vector<MountUser> &users) {
    std::string text;
    for (const MountUser &user : users) {
        text += fmt::format("{}{} (process {})", text.empty() ? ", used by " : ", ", user.program,
                            user.process);
    }
    return text;
}

std::string server_text(const NfsMount &mount) {
    return mount.address.empty() || mount.address == mount.server()
               ? mount.server()
               : fmt::format("{} ({})", mount.server(), mount.address);
}

} // namespace causeway
