// SPDX-License-Identifier: GPL-2.0-or-later
// Names of exports and servers: NAME, SERVER[:PORT], SERVER[:PORT]/NAME.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace causeway {

inline constexpr std::uint16_t default_port = 4793;
inline constexpr std::uint16_t default_tcp_port = default_port + 1; // of disks over TCP
inline constexpr std::size_t longest_name = 63;

struct ServerName {
    std::string host; // name or address as the user typed it, without brackets
    std::uint16_t port = default_port;

    // The name of the server for the kernel, in links and in files. The text contains the port only
    // if it is not 4793.
    std::string text() const;

    bool operator==(const ServerName &) const = default;
};

struct DiskName {
    ServerName server;
    std::string name; // of the export

    std::string text() const { return server.text() + "/" + name; }

    bool operator==(const DiskName &) const = default;
};

// These parsers return an error (usage) that states which part of the name is wrong.
Result<std::string> parse_export_name(std::string_view text);
Result<ServerName> parse_server(std::string_view text);
Result<DiskName> parse_disk(std::string_view text);

} // namespace causeway
