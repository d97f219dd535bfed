// SPDX-License-Identifier: GPL-2.0-or-later
// The NFS part of "causeway net".
#pragma once

#include "base/answer.h"
#include "base/result.h"
#include "machine/world.h"

namespace causeway {

// Adds the NFS connections of both ends. Those of Causeway's transport come from netlink, those of
// the in-tree transport and of TCP from what the kernel shows of mounts and of nfsd.
Result<void> add_nfs(World &world, Answer &answer);

} // namespace causeway
