// SPDX-License-Identifier: GPL-2.0-or-later
// What "nfs mount" and "nfs remount" say of a folder that is mounted.
#pragma once

#include "base/answer.h"
#include "nfs/mounting.h"

namespace causeway {

Answer mount_answer(const MountRequest &request, const MountOutcome &outcome, bool changed);

} // namespace causeway
