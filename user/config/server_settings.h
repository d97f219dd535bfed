// SPDX-License-Identifier: GPL-2.0-or-later
// The settings of the server of this machine, /etc/causeway/server.conf: its port and its limits.
#pragma once

#include "base/places.h"
#include "base/result.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace causeway {

struct ServerSettings {
    std::optional<std::uint16_t> port; // of RDMA; TCP has the next one
    std::optional<std::uint32_t> max_sessions;
    std::optional<std::uint32_t> max_sessions_host;
    std::optional<std::uint32_t> max_links_host;
    std::optional<std::uint32_t> max_waiting;
    std::optional<std::uint32_t> max_strangers;
    std::optional<std::uint32_t> max_strangers_host;

    bool operator==(const ServerSettings &) const = default;
};

// A limit is a parameter of the module causeway, which may be written at any time.
struct ServerLimit {
    std::string_view word;      // on the command line and in the file
    std::string_view parameter; // of the module
    std::optional<std::uint32_t> ServerSettings::*value;
    std::uint32_t by_default;
    std::uint32_t most;
    std::string_view help;
};

inline constexpr std::uint32_t many = 1000000;
inline constexpr std::array server_limits{
    ServerLimit{"max-sessions", "max_sessions", &ServerSettings::max_sessions, 256, 1024,
                "sessions of all clients together"},
    ServerLimit{"max-sessions-host", "max_sessions_host", &ServerSettings::max_sessions_host, 64,
                many, "sessions and further paths of one address"},
    ServerLimit{"max-links-host", "max_links_host", &ServerSettings::max_links_host, 256, many,
                "data links (queues) of one address"},
    ServerLimit{"max-waiting", "max_waiting", &ServerSettings::max_waiting, 64, many,
                "logins that wait for an export"},
    ServerLimit{"max-strangers", "max_strangers", &ServerSettings::max_strangers, 64, many,
                "connections that have not logged in"},
    ServerLimit{"max-strangers-host", "max_strangers_host", &ServerSettings::max_strangers_host, 16,
                many, "connections of one address that have not logged in"},
};
// TCP has the next port.
inline constexpr std::uint16_t highest_server_port = 65534;

// Returns the path of the parameter's file below /sys.
std::string parameter_file(const ServerLimit &limit);

// Returns an empty text for settings without a value.
std::string server_settings_text(const ServerSettings &settings);
// Returns the text of the file @place, which has the settings @before, with those of @after in
// their place; the comments of the file stay. Returns an empty text for settings without a value.
Result<std::string> edited_server_settings(const std::filesystem::path &place,
                                           const ServerSettings &before,
                                           const ServerSettings &after);
// Returns an error (bad_config) that names @source and the line.
Result<ServerSettings> parse_server_settings(const std::string &source, std::string_view content);
// Returns the port of disks over TCP at a server that listens on @port, at most
// highest_server_port, for RDMA.
constexpr std::uint16_t tcp_port_of(std::uint16_t port) {
    return static_cast<std::uint16_t>(port + 1);
}
// Returns the port on which the server listens by its settings, or by default; the default also if
// the file cannot be read.
std::uint16_t configured_port(const Places &places);
// Returns settings without values if there is no file.
Result<ServerSettings> load_server_settings(const Places &places);

} // namespace causeway
