// SPDX-License-Identifier: GPL-2.0-or-later
// Reports whether umount(8) of a folder would be refused because the mount is in use, and which
// processes use it.
#pragma once

#include <string>
#include <vector>

namespace causeway {

struct MountUser {
    int process = 0;
    std::string program; // from /proc/PID/comm

    bool operator==(const MountUser &) const = default;
};

class MountUse {
  public:
    MountUse() = default;
    MountUse(const MountUse &) = delete;
    MountUse &operator=(const MountUse &) = delete;
    virtual ~MountUse() = default;

    // Returns true if the mount is in use now; a mount below it counts as use. Returns false also
    // if the kernel cannot be asked. Call this only for a mount that is about to be unmounted: if
    // two processes ask at the same moment, one may unmount it.
    virtual bool is_busy(const std::string &directory) = 0;
    // Returns the processes that have a file or folder of the mount open, run a program from it, or
    // have their current directory or root in it. Never waits for the server of the mount.
    virtual std::vector<MountUser> users(const std::string &directory) = 0;
};

class SystemMountUse final : public MountUse {
  public:
    bool is_busy(const std::string &directory) override;
    std::vector<MountUser> users(const std::string &directory) override;
};

} // namespace causeway
