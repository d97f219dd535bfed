// SPDX-License-Identifier: GPL-2.0-or-later
// How long a mount is tried, and by which transport. Each round tries RDMA, then TCP if that is
// allowed. Rounds continue, with pauses of 1 to 10 seconds, while the server may still answer and
// the request has patience left.
//
// A server that boots may answer by TCP before it listens for RDMA. So a mount with patience waits
// for RDMA before it uses TCP, as long as the server refuses RDMA and answers by TCP. It waits for
// rdma_grace. All mounts that begin to wait within grace_shared share this wait, so mounts that are
// made one after the other are delayed by rdma_grace in total, not each.
//
// An attempt by RDMA that gets no answer may have begun before the server was up. If the server
// answers by TCP at the end of the attempt, RDMA gets another rdma_grace, which this mount shares
// with no other one.
#pragma once

#include "base/result.h"
#include "machine/world.h"
#include "nfs/mounting.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace causeway {

inline constexpr std::chrono::seconds rdma_grace{10};
inline constexpr std::chrono::seconds grace_shared{120};

struct Tried {
    std::uint8_t transport = 0; // enum cw_transport
    std::string reason;         // why the mount does not use RDMA
    bool in_background = false; // another process continues; nothing is mounted yet
};

// Tries until the mount succeeds or the time of the request is over. An error names both failures
// if both transports were tried.
Result<Tried> try_for_a_time(World &world, const MountRequest &request);

} // namespace causeway
