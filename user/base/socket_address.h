// SPDX-License-Identifier: GPL-2.0-or-later
// An IP address with its port, as the kernel takes it; and how a name becomes one.
#pragma once

#include "base/disk_name.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace causeway {

class SocketAddress {
  public:
    SocketAddress() = default;

    // None unless the bytes are exactly a sockaddr_in or sockaddr_in6 with its family.
    static std::optional<SocketAddress> from_bytes(std::span<const std::uint8_t> bytes);

    // "10.0.0.1", "fd00::1"; port 0. None: it is a name or nothing.
    static std::optional<SocketAddress> from_text(const std::string &text);

    std::span<const std::uint8_t> bytes() const;
    int family() const { return storage_.ss_family; }
    bool empty() const { return length_ == 0; }
    std::uint16_t port() const;
    void set_port(std::uint16_t port);

    // "10.0.0.1", "fd00::1".
    std::string host_text() const;
    // "10.0.0.1:4793", "[fd00::1]:4793".
    std::string text() const;

    bool operator==(const SocketAddress &other) const;

  private:
    sockaddr_storage storage_{};
    std::size_t length_ = 0;
};

class Resolver {
  public:
    Resolver() = default;
    Resolver(const Resolver &) = delete;
    Resolver &operator=(const Resolver &) = delete;
    virtual ~Resolver() = default;

    // At least one address, in the order to try them, with the server's port.
    virtual Result<std::vector<SocketAddress>> resolve(const ServerName &server) = 0;
};

class SystemResolver final : public Resolver {
  public:
    Result<std::vector<SocketAddress>> resolve(const ServerName &server) override;
};

} // namespace causeway
