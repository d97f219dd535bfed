// SPDX-License-Identifier: GPL-2.0-or-later
// Whether a peer can be reached by RDMA: the three steps of the RDMA connection manager, each with
// its time.
#pragma once

#include "base/result.h"
#include "base/socket_address.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace causeway {

enum class PathStep { address, route, connection };

// How far one attempt came.
struct PathTry {
    std::string device; // empty: no RDMA device leads there
    std::uint8_t port = 0;
    SocketAddress local; // port 0
    // Nanoseconds that each step took; none: it was not reached, or failed.
    std::optional<std::uint64_t> address;
    std::optional<std::uint64_t> route;
    // From the request to the peer's answer, whatever that was.
    std::optional<std::uint64_t> answer;
    bool accepted = false;
    bool nobody_listens = false; // the peer answered, and has no such service
    std::string reason;          // why it went no further; empty where it was accepted
};

class RdmaPaths {
  public:
    RdmaPaths() = default;
    RdmaPaths(const RdmaPaths &) = delete;
    RdmaPaths &operator=(const RdmaPaths &) = delete;
    virtual ~RdmaPaths() = default;

    // To the address and port of the peer, the limit for each step. An error: this machine cannot
    // try at all. A peer that accepts is left again at once.
    virtual Result<PathTry> attempt(const SocketAddress &peer, std::chrono::milliseconds limit) = 0;
};

// By librdmacm, in a process of its own that ends with the attempt: no queue pair is made, so that
// nothing can be sent; no private data is given, so that a Causeway server refuses.
class SystemRdmaPaths final : public RdmaPaths {
  public:
    Result<PathTry> attempt(const SocketAddress &peer, std::chrono::milliseconds limit) override;
};

} // namespace causeway
