// SPDX-License-Identifier: GPL-2.0-or-later
// Mounts by RDMA, or by TCP if the server cannot be reached by RDMA. "nfs mount", "nfs remount" and
// the mount helper use this.
#pragma once

#include "base/result.h"
#include "machine/world.h"
#include "nfs/options.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

// Receives reports about a mount that is tried more than once.
class MountProgress {
  public:
    MountProgress() = default;
    MountProgress(const MountProgress &) = delete;
    MountProgress &operator=(const MountProgress &) = delete;
    virtual ~MountProgress() = default;

    // Called when this process continues in the background.
    virtual void left_foreground() = 0;
    // Called if the mount failed and is tried again, once for each new reason.
    virtual void retries(const std::string &reason) = 0;
};

struct MountRequest {
    NfsSource source;
    std::string directory;
    NfsOptions options;
    std::vector<std::string> switches{}; // of mount(8), passed on: "-n", "-s"
    std::chrono::minutes patience{};     // time for retries; 0: each transport is tried once
    bool may_leave = false;              // the option bg: another process may continue
    MountProgress *progress = nullptr;   // must outlive the request
};

struct MountOutcome {
    std::uint8_t transport = 0; // enum cw_transport
    std::string reason;         // why the mount does not use RDMA
    std::vector<std::string> warnings;
    bool in_background = false; // another process continues; nothing is mounted yet
};

// Mounts by RDMA, or by TCP if that is allowed and RDMA fails. An error names both failures if both
// transports were tried. If RDMA is required and the kernel made a mount by TCP, unmounts it again.
Result<MountOutcome> mount_nfs(World &world, const MountRequest &request);

// Mounts by RDMA only and keeps no record. For a trial on another folder.
Result<void> mount_by_rdma(World &world, const MountRequest &request);

// Mounts by TCP only, once, and keeps a record. @reason: why the mount does not use RDMA.
Result<MountOutcome> mount_by_tcp(World &world, const MountRequest &request,
                                  const std::string &reason);

// "mount -o remount": changes the options of a mount, which keeps its transport.
Result<void> change_options(World &world, const MountRequest &request);

// Runs umount(8). Without a @limit, waits as long as umount(8) does. Returns an error with
// try_again if the mount is busy or the limit has passed.
Result<void> unmount(World &world, const std::string &directory,
                     const std::vector<std::string> &switches = {},
                     std::optional<std::chrono::seconds> limit = std::nullopt);

// Returns an absolute path without "..", with links resolved as far as the path exists.
std::string real_directory(const std::string &typed);

} // namespace causeway
