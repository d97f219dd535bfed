// SPDX-License-Identifier: GPL-2.0-or-later
// Tests whether a peer can be reached by RDMA: runs the three steps of the RDMA connection manager
// and measures each.
#pragma once

#include "base/result.h"
#include "base/socket_address.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace causeway {

enum class PathStep { address, route, connection };

// The result of one attempt.
struct PathTry {
    std::string device; // empty: no RDMA device leads to the peer
    std::uint8_t port = 0;
    SocketAddress local; // of this machine, with port 0
    // Duration of each step in nanoseconds; none: the step was not reached, or failed.
    std::optional<std::uint64_t> address;
    std::optional<std::uint64_t> route;
    // From the request to the peer's reply, whether it accepted or refused.
    std::optional<std::uint64_t> answer;
    bool accepted = false;
    bool nobody_listens = false; // the peer replied that it has no such service
    std::string reason;          // why the attempt ended; empty if the peer accepted
};

class RdmaPaths {
  public:
    RdmaPaths() = default;
    RdmaPaths(const RdmaPaths &) = delete;
    RdmaPaths &operator=(const RdmaPaths &) = delete;
    virtual ~RdmaPaths() = default;

    // Tries to connect to the address and port of the peer. The limit applies to each step. Closes
    // an accepted connection at once. Returns an error only if this machine cannot make an attempt
    // at all.
    virtual Result<PathTry> attempt(const SocketAddress &peer, std::chrono::milliseconds limit) = 0;
};

// Uses librdmacm, in a process that ends with the attempt. Makes no queue pair, so nothing can be
// sent; sends no private data, so a Causeway server refuses.
class SystemRdmaPaths final : public RdmaPaths {
  public:
    Result<PathTry> attempt(const SocketAddress &peer, std::chrono::milliseconds limit) override;
};

} // namespace causeway
