// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the users of a folder that prevent its unmount.
#pragma once

#include "base/result.h"
#include "machine/world.h"

#include <string>
#include <vector>

namespace causeway {

// Returns the users in the kernel itself, with process 0: loop devices on files of the folder, swap
// files in it, and exports by nfsd of the folder or of folders in it. Never waits for the server.
std::vector<MountUser> kernel_users(KernelFiles &files, const std::string &directory);

// Returns the reason why an NFS mount cannot be unmounted; empty: no reason is known. The kernel
// counts a mount inside as use, so a mount that contains others cannot be tested itself. Mounts
// inside are judged instead: one in @leaving is unmounted first and does not count; one that the
// kernel made itself is a reason if it is busy; any other one is a reason.
Result<std::string> why_busy(World &world, const std::string &directory,
                             const std::vector<std::string> &leaving);

} // namespace causeway
