// SPDX-License-Identifier: GPL-2.0-or-later
// An IP address and a port, in the form of the kernel; and the resolution of names to addresses.
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

    // Returns none unless the bytes are exactly a sockaddr_in or sockaddr_in6 with its family.
    static std::optional<SocketAddress> from_bytes(std::span<const std::uint8_t> bytes);

    // Parses "10.0.0.1" or "fd00::1", with port 0. Returns none for a name or any other text.
    static std::optional<SocketAddress> from_text(const std::string &text);

    std::span<const std::uint8_t> bytes() const;
    int family() const { return storage_.ss_family; }
    bool empty() const { return length_ == 0; }
    std::uint16_t port() const;
    void set_port(std::uint16_t port);

    // Returns "10.0.0.1" or "fd00::1".
    std::string host_text() const;
    // Returns "10.0.0.1:4793" or "[fd00::1]:4793".
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

    // Returns at least one address, in the order in which to try them, with the server's port.
    virtual Result<std::vector<SocketAddress>> resolve(const ServerName &server) = 0;
};

class SystemResolver final : public Resolver {
  public:
    Result<std::vector<SocketAddress>> resolve(const ServerName &server) override;
};

} // namespace causeway
