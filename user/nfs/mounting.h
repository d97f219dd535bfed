// SPDX-License-Identifier: GPL-2.0-or-later
// Mounting by RDMA, or by TCP where there is no RDMA way to the server: for "nfs mount", for "nfs
// remount" and for the mount helper.
#pragma once

#include "base/result.h"
#include "machine/world.h"
#include "nfs/options.h"

#include <string>
#include <vector>

namespace causeway {

// Is told how a mount goes that is tried more than once.
class MountProgress {
  public:
    MountProgress() = default;
    MountProgress(const MountProgress &) = delete;
    MountProgress &operator=(const MountProgress &) = delete;
    virtual ~MountProgress() = default;

    // This process goes on in the background from now on.
    virtual void left_foreground() = 0;
    // It failed and is tried again; each reason once, until another one comes.
    virtual void retries(const std::string &reason) = 0;
};

struct MountRequest {
    NfsSource source;
    std::string directory;
    NfsOptions options;
    std::vector<std::string> switches{}; // of mount(8), passed on: "-n", "-s"
    std::chrono::minutes patience{};     // 0: each transport is tried once
    bool may_leave = false;              // as the option bg says: another process may go on
    MountProgress *progress = nullptr;   // outlives the request
};

struct MountOutcome {
    std::uint8_t transport = 0; // enum cw_transport
    std::string reason;         // why not by RDMA
    std::vector<std::string> warnings;
    bool in_background = false; // another process goes on; nothing is mounted yet
};

// By RDMA, or by TCP where that is allowed and RDMA fails. An error names both failures where both
// ways were tried. Where RDMA is required and the kernel made it a mount by TCP, it is unmounted.
Result<MountOutcome> mount_nfs(World &world, const MountRequest &request);

// Only by RDMA; nothing is kept. For a trial on another folder.
Result<void> mount_by_rdma(World &world, const MountRequest &request);

// Only by TCP, as it was before; reason: why not by RDMA.
Result<MountOutcome> mount_by_tcp(World &world, const MountRequest &request,
                                  const std::string &reason);

// "mount -o remount": new options for what is mounted, which keeps its transport.
Result<void> change_options(World &world, const MountRequest &request);

Result<void> unmount(World &world, const std::string &directory,
                     const std::vector<std::string> &switches = {});

// An absolute path without "..", links resolved as far as it exists.
std::string real_directory(const std::string &typed);

} // namespace causeway
