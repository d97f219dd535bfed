// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/tcp_ports.h"

#include "base/descriptor.h"

#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

namespace causeway {

bool SystemTcpPorts::listens(const SocketAddress &peer, std::chrono::milliseconds limit) {
    const Descriptor socket(::socket(peer.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket) {
        return false;
    }
    const auto bytes = peer.bytes();
    if (::connect(socket.get(), reinterpret_cast<const sockaddr *>(bytes.data()),
                  static_cast<socklen_t>(bytes.size())) == 0) {
        return true;
    }
    if (errno != EINPROGRESS) {
        return false;
    }
    pollfd ready{socket.get(), POLLOUT, 0};
    if (::poll(&ready, 1, static_cast<int>(limit.count())) != 1) {
        return false;
    }
    int failure = 0;
    socklen_t size = sizeof(failure);
    return ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == 0;
}

} // namespace causeway
