// SPDX-License-Identifier: GPL-2.0-or-later
// Mounting by RDMA, or by TCP where there is no RDMA way to the server: for "nfs mount", for "nfs
// remount" and for the mount helper.
#pragma once

#include "base/result.h"
#include "command/world.h"
#include "nfs/options.h"

#include <string>
#include <vector>

namespace causeway {

struct MountRequest {
    NfsSource source;
    std::string directory;
    NfsOptions options;
    std::vector<std::string> switches{}; // of mount(8), passed on: "-n", "-s"
};

struct MountOutcome {
    std::uint8_t transport = 0; // enum cw_transport
    std::string reason;         // why not by RDMA
    std::vector<std::string> warnings;
};

// An error names both failures where both ways were tried.
Result<MountOutcome> mount_nfs(World &world, const MountRequest &request);

// Only by RDMA; nothing is kept. For a trial on another folder.
Result<void> mount_by_rdma(World &world, const MountRequest &request);

Result<void> unmount(World &world, const std::string &directory,
                     const std::vector<std::string> &switches = {});

// An absolute path without "..", links resolved as far as it exists.
std::string real_directory(const std::string &typed);

} // namespace causeway
