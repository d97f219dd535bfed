// SPDX-License-Identifier: GPL-2.0-or-later
// Makes the answers of the NFS verbs.
#pragma once

#include "base/answer.h"
#include "nfs/mounting.h"

namespace causeway {

// The answer for one mounted folder, for "nfs mount" and "nfs remount".
Answer mount_answer(const MountRequest &request, const MountOutcome &outcome, bool changed);

// Replaces the text and the exit code of carry_out()'s answer by those of @said, and adds the JSON
// and the warnings of @said. The line that names the number for undo stays.
Answer said_instead(Answer carried_out, const Answer &said);

} // namespace causeway
