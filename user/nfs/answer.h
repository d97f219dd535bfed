// SPDX-License-Identifier: GPL-2.0-or-later
// What the verbs of NFS say.
#pragma once

#include "base/answer.h"
#include "nfs/mounting.h"

namespace causeway {

// Of a folder that is mounted, for "nfs mount" and "nfs remount".
Answer mount_answer(const MountRequest &request, const MountOutcome &outcome, bool changed);

// Puts what a verb says in the place of the list of changes that carry_out() gave. The line that
// names the number for undo stays.
Answer said_instead(Answer carried_out, const Answer &said);

} // namespace causeway
