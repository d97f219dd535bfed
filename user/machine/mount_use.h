// SPDX-License-Identifier: GPL-2.0-or-later
// What keeps a folder mounted: whether umount(8) would be refused, and which processes are the
// reason.
#pragma once

#include <string>
#include <vector>

namespace causeway {

struct MountUser {
    int process = 0;
    std::string program; // as /proc/PID/comm has it

    bool operator==(const MountUser &) const = default;
};

class MountUse {
  public:
    MountUse() = default;
    MountUse(const MountUse &) = delete;
    MountUse &operator=(const MountUse &) = delete;
    virtual ~MountUse() = default;

    // Asks the kernel whether the mount is in use now. What is mounted below it counts as use.
    // Only for a mount that is about to be unmounted: of two processes that ask at the same moment
    // one may unmount it. False also where the kernel cannot be asked.
    virtual bool is_busy(const std::string &directory) = 0;
    // The processes that have a file or a folder of it open, run a program of it, or are in it.
    // Never asks the server.
    virtual std::vector<MountUser> users(const std::string &directory) = 0;
};

class SystemMountUse final : public MountUse {
  public:
    bool is_busy(const std::string &directory) override;
    std::vector<MountUser> users(const std::string &directory) override;
};

} // namespace causeway
