// SPDX-License-Identifier: GPL-2.0-or-later
// Asks a server for its exports, for "discover" and "attach --path auto".
#pragma once

#include "base/disk_settings.h"
#include "base/result.h"
#include "base/uuid.h"
#include "machine/world.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct Discovery {
    SocketAddress asked; // the address of the server that answered
    bool tcp = false;    // it answered over TCP
    std::vector<DiscoveredExport> exports{};
};

// Asks the server at the addresses of its name, by the first transport at each of them and then by
// the second, until the server answers. With @name, returns the export of that name only. The
// module of disks must be loaded.
Result<Discovery> discover(World &world, const ServerName &server,
                           const std::vector<std::string> &transports,
                           const std::string &name = "");

// The paths of "attach --path auto".
struct FoundPaths {
    // At least one, in the order of the server. The address that was asked is the last one if the
    // server does not name it.
    std::vector<PathSettings> paths{};
    std::optional<Uuid> identity{}; // of the disk
    struct LeftOut {
        PathSettings path;
        std::string reason{}; // "no RDMA device leads to it"
    };
    std::vector<LeftOut> left_out{};
};

// Returns a path to the address at which the server answered, and one to each further address that
// the server names for the disk, that has one of these transports, and that this machine reaches
// directly by it (why_not_direct()).
Result<FoundPaths> discover_paths(World &world, const DiskName &disk,
                                  const std::vector<std::string> &transports);

} // namespace causeway
