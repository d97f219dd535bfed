// SPDX-License-Identifier: GPL-2.0-or-later
// The NFS part of "causeway net".
#pragma once

#include "base/answer.h"
#include "base/result.h"
#include "machine/world.h"

namespace causeway {

// NFS connections of both ends: ours by netlink, the kernel's own and TCP from what it tells of
// mounts and of nfsd.
Result<void> add_nfs(World &world, Answer &answer);

} // namespace causeway
