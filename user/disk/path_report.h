// SPDX-License-Identifier: GPL-2.0-or-later
// The paths of a disk's session, as "net" and "path list" show them.
#pragma once

#include "base/answer.h"
#include "machine/kernel.h"

#include <cstdint>
#include <string>

namespace causeway {

Json path_json(const DiskPath &path);

// Returns "live, carries I/O", "live, stands by" or "down, next attempt in 3 s".
std::string state_sentence(const DiskPath &path);
// Returns "its fence waits for 3 commands at the server's disk", or nothing if the path has no
// fence.
std::string fence_sentence(const DiskPath &path);
// Returns "no answer (Connection timed out)". Empty without a reason and an error.
std::string failure_text(const std::string &reason, std::int32_t error);

// Returns "path 0: 10.0.0.2 -> 10.0.0.1:4793 by RDMA over rxe0/1, live, carries I/O". For a path
// that is not live, the line has the reason.
std::string path_line(const DiskPath &path);

// Returns the local address, or "any" for one that the kernel has not chosen yet.
std::string local_text(const DiskPath &path);

} // namespace causeway
