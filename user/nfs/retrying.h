// SPDX-License-Identifier: GPL-2.0-or-later
// How long a mount is tried, and by which transport. Each round tries RDMA, then TCP where that is
// allowed. Rounds go on, with pauses of 1 to 10 seconds, while the server may still answer and the
// request has patience left.
//
// A server that boots may answer by TCP before it listens for RDMA. A mount with patience therefore
// waits for RDMA before it goes by TCP, as long as the server refuses RDMA and answers by TCP: for
// rdma_grace, which all mounts that begin to wait within grace_shared share. So mounts that are
// made one after the other are delayed by rdma_grace in all, not each.
//
// An attempt by RDMA that gets no answer may have begun before the server was there. If the server
// answers by TCP at its end, RDMA gets rdma_grace more, which this mount shares with no other one.
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
    std::string reason;         // why not by RDMA
    bool in_background = false; // another process goes on; nothing is mounted yet
};

// An error names both failures where both ways were tried.
Result<Tried> try_for_a_time(World &world, const MountRequest &request);

} // namespace causeway
