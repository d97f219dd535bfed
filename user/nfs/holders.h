// SPDX-License-Identifier: GPL-2.0-or-later
// What keeps a folder from being unmounted.
#pragma once

#include "base/result.h"
#include "machine/world.h"

#include <string>
#include <vector>

namespace causeway {

// Loop devices on files of the folder, swap files in it, and exports of it by nfsd: users of the
// kernel itself, whose process is 0. Never asks the server.
std::vector<MountUser> kernel_users(KernelFiles &files, const std::string &directory);

// Why an NFS mount cannot be unmounted; empty: nothing is known. The kernel counts a mount inside
// as use, so of a mount that holds others it can be asked only through those: the folders of
// leaving are unmounted first, the ones that the kernel made itself go with it, and any other one
// stays.
Result<std::string> why_busy(World &world, const std::string &directory,
                             const std::vector<std::string> &leaving);

} // namespace causeway
