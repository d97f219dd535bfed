// SPDX-License-Identifier: GPL-2.0-or-later
// Whether a program listens on a TCP port of another machine.
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

    // Connects and closes the connection. False: refused, unreachable, or no answer in time.
    virtual bool listens(const SocketAddress &peer, std::chrono::milliseconds limit) = 0;
};

class SystemTcpPorts final : public TcpPorts {
  public:
    bool listens(const SocketAddress &peer, std::chrono::milliseconds limit) override;
};

} // namespace causeway
