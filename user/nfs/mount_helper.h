// SPDX-License-Identifier: GPL-2.0-or-later
// mount.nfs-causeway, which mount(8) runs for "mount -t nfs-causeway" and for lines of fstab.
#pragma once

#include "machine/world.h"

#include <string>
#include <vector>

namespace causeway {

inline constexpr std::string_view mount_helper_name = "mount.nfs-causeway";

// @words: SOURCE DIR [-fnrsvw] [-N NAMESPACE] [-t TYPE] [-o OPTIONS]. Returns an exit status of
// mount(8): 0, 1 for a call that is wrong or not allowed to this user, 32 for a mount that failed.
// With -f it checks the words and changes nothing.
int run_mount_helper(World &world, const std::vector<std::string> &words);

} // namespace causeway
