// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/socket_address.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>

namespace causeway {

namespace {

struct FreeAddresses {
    void operator()(addrinfo *list) const { freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, FreeAddresses>;

int look_up(const std::string &host, int flags, AddressList &out) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    addrinfo *list = nullptr;
    const int failure = getaddrinfo(host.c_str(), nullptr, &hints, &list);
    out.reset(failure == 0 ? list : nullptr);
    return failure;
}

Error unresolved(const ServerName &server, int failure, int number) {
    const char *reason = failure == EAI_SYSTEM ? std::strerror(number) : gai_strerror(failure);
    const bool passing = failure == EAI_AGAIN || failure == EAI_SYSTEM;
    return Error{passing ? ExitCode::try_again : ExitCode::unavailable,
                 fmt::format("the name of server '{}' does not resolve: {}", server.host, reason),
                 fmt::format("check it with: getent ahosts {}", server.host)};
}

} // namespace

std::optional<SocketAddress> SocketAddress::from_bytes(std::span<const std::uint8_t> bytes) {
    SocketAddress address;
    if (bytes.size() != sizeof(sockaddr_in) && bytes.size() != sizeof(sockaddr_in6)) {
        return std::nullopt;
    }
    std::memcpy(&address.storage_, bytes.data(), bytes.size());
    address.length_ = bytes.size();
    const std::size_t wanted = address.storage_.ss_family == AF_INET    ? sizeof(sockaddr_in)
                               : address.storage_.ss_family == AF_INET6 ? sizeof(sockaddr_in6)
                                                                        : 0;
    return wanted == bytes.size() ? std::optional(address) : std::nullopt;
}

std::optional<SocketAddress> SocketAddress::from_text(const std::string &text) {
    AddressList list;
    if (look_up(text, AI_NUMERICHOST, list) != 0) {
        return std::nullopt;
    }
    // getaddrinfo() takes "10.1" for 10.0.0.1, and "7" for 0.0.0.7.
    in_addr ipv4{};
    if (list->ai_family == AF_INET && inet_pton(AF_INET, text.c_str(), &ipv4) != 1) {
        return std::nullopt;
    }
    return from_bytes({reinterpret_cast<const std::uint8_t *>(list->ai_addr), list->ai_addrlen});
}

std::span<const std::uint8_t> SocketAddress::bytes() const {
    return {reinterpret_cast<const std::uint8_t *>(&storage_), length_};
}

// The port has the same offset in both families.
static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));

std::uint16_t SocketAddress::port() const {
    in_port_t port = 0;
    std::memcpy(&port, bytes().data() + offsetof(sockaddr_in, sin_port), sizeof(port));
    return ntohs(port);
}

void SocketAddress::set_port(std::uint16_t port) {
    const in_port_t value = htons(port);
    std::memcpy(reinterpret_cast<std::uint8_t *>(&storage_) + offsetof(sockaddr_in, sin_port),
                &value, sizeof(value));
}

std::string SocketAddress::host_text() const {
    std::array<char, NI_MAXHOST> host{};
    if (empty() ||
        getnameinfo(reinterpret_cast<const sockaddr *>(&storage_), static_cast<socklen_t>(length_),
                    host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0) {
        return "";
    }
    return host.data();
}

std::string SocketAddress::text() const {
    if (empty()) {
        return "";
    }
    return storage_.ss_family == AF_INET6 ? fmt::format("[{}]:{}", host_text(), port())
                                          : fmt::format("{}:{}", host_text(), port());
}

bool SocketAddress::operator==(const SocketAddress &other) const {
    return std::equal(bytes().begin(), bytes().end(), other.bytes().begin(), other.bytes().end());
}

Result<std::vector<SocketAddress>> SystemResolver::resolve(const ServerName &server) {
    AddressList list;
    // A numeric address must work even before any network is configured. A name must give only
    // addresses of families that this host has.
    int failure = look_up(server.host, AI_NUMERICHOST, list);
    if (failure != 0) {
        failure = look_up(server.host, AI_ADDRCONFIG, list);
    }
    if (failure != 0) {
        return unresolved(server, failure, errno);
    }
    std::vector<SocketAddress> addresses;
    for (const addrinfo *entry = list.get(); entry != nullptr; entry = entry->ai_next) {
        auto address = SocketAddress::from_bytes(
            {reinterpret_cast<const std::uint8_t *>(entry->ai_addr), entry->ai_addrlen});
        if (address) {
            address->set_port(server.port);
            addresses.push_back(*address);
        }
    }
    if (addresses.empty()) {
        return unresolved(server, EAI_NONAME, 0);
    }
    return addresses;
}

} // namespace causeway
