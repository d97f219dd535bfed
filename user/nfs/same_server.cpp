// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/same_server.h"

#include <algorithm>
#include <causeway.h>
#include <fmt/format.h>
#include <iterator>
#include <sstream>
#include <string_view>

namespace causeway {

namespace {

// Returns "server:/a" for "server:/" and "/a".
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

std::vector<NfsMount> staying_by_tcp(const std::vector<NfsMount> &mounts, const NfsMount &trial,
                                     const std::vector<std::string> &leaving) {
    const auto leaves = [&](const NfsMount &mount) {
        return std::any_of(leaving.begin(), leaving.end(), [&](const std::string &folder) {
            return mount.directory == folder ||
                   (lies_below(mount.directory, folder) && is_submount(mounts, mount));
        });
    };
    std::vector<NfsMount> staying;
    std::copy_if(
        mounts.begin(), mounts.end(), std::back_inserter(staying), [&](const NfsMount &mount) {
            return mount.directory != trial.directory && mount.transport == CW_TRANSPORT_TCP &&
                   same_server(mount, trial) && mount.version == trial.version && !leaves(mount);
        });
    return staying;
}

bool held_unseen(std::string_view volumes, const std::vector<NfsMount> &mounts,
                 const NfsMount &trial) {
    // The columns of a line: NV SERVER PORT DEV FSID FSC.
    struct Volume {
        std::string client; // version, address, port
        std::string device;
    };
    std::vector<Volume> all;
    std::istringstream stream{std::string(volumes)};
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line);
        std::string version;
        std::string server;
        std::string port;
        std::string device;
        if (words >> version >> server >> port >> device) {
            all.push_back({version + " " + server + " " + port, device});
        }
    }
    const auto own = std::find_if(all.begin(), all.end(), [&](const Volume &volume) {
        return volume.device == trial.device;
    });
    return own != all.end() && std::any_of(all.begin(), all.end(), [&](const Volume &volume) {
               return volume.client == own->client &&
                      std::none_of(mounts.begin(), mounts.end(), [&](const NfsMount &mount) {
                          return mount.device == volume.device;
                      });
           });
}

bool is_submount(const std::vector<NfsMount> &mounts, const NfsMount &mount) {
    return std::any_of(mounts.begin(), mounts.end(), [&](const NfsMount &above) {
        return lies_below(mount.directory, above.directory) &&
               mount.source ==
                   source_below(above.source,
                                std::string_view(mount.directory).substr(above.directory.size()));
    });
}

bool lies_below(std::string_view path, std::string_view folder) {
    return path.size() > folder.size() && path.substr(0, folder.size()) == folder &&
           path[folder.size()] == '/';
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
        text += text.empty() ? ", used by " : ", ";
        text += user.process == 0 ? fmt::format("{} of the kernel", user.program)
                                  : fmt::format("{} (process {})", user.program, user.process);
    }
    return text;
}

std::string server_text(const NfsMount &mount) {
    return mount.address.empty() || mount.address == mount.server()
               ? mount.server()
               : fmt::format("{} ({})", mount.server(), mount.address);
}

} // namespace causeway
