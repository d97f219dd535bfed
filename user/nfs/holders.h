// SPDX-License-Identifier: GPL-2.0-or-later
// What of the kernel itself keeps a folder from being unmounted: it has no process that
// machine/mount_use.h could name.
#pragma once

#include "machine/kernel_files.h"
#include "machine/mount_use.h"

#include <string>
#include <vector>

namespace causeway {

// Loop devices on files of the folder, swap files in it, and exports of it by nfsd. Their process
// is 0. Never asks the server.
std::vector<MountUser> kernel_users(KernelFiles &files, const std::string &directory);

} // namespace causeway
