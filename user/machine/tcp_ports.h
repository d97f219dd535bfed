// SPDX-License-Identifier: GPL-2.0-or-later
// Tests whether a program listens on a TCP port of another machine.
#pragma once

#include "base/socket_address.h"

#include <chrono>

namespace causeway {

class TcpPorts {
  public:
    TcpPorts() = default;
    TcpPorts(const TcpPorts &) = delete;
    TcpPorts &operator=(const TcpPorts &) = delete;
    virtual ~TcpPorts() = default;

    // Connects, and closes the connection at once. Returns false if the connection was refused, the
    // peer is unreachable, or no reply came in time.
    virtual bool listens(const SocketAddress &peer, std::chrono::milliseconds limit) = 0;
};

class SystemTcpPorts final : public TcpPorts {
  public:
    bool listens(const SocketAddress &peer, std::chrono::milliseconds limit) override;
};

} // namespace causeway
