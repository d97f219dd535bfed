// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/disk_name.h"

#include "base/units.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <fmt/format.h>
#include <netinet/in.h>

namespace causeway {

namespace {

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Returns true for an IPv6 address, with or without %scope.
bool is_ipv6(std::string_view text) {
    const std::string address(text.substr(0, text.find('%')));
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    return inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1;
}

Error bad_server(std::string_view text, std::string_view why) {
    return Error{ExitCode::usage, fmt::format("'{}' does not name a server: {}", text, why),
                 "give SERVER or SERVER:PORT, such as storage1, 10.0.0.1:4793 or [fd00::1]:4793"};
}

Result<ServerName> checked(std::string_view whole, std::string_view host, std::string_view port) {
    ServerName server;
    server.host = host;
    if (host.empty()) {
        return bad_server(whole, "the name is empty");
    }
    const bool fits = std::all_of(host.begin(), host.end(), [](char c) {
        return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '%';
    });
    if (!fits || host.front() == '-' || host.front() == '.') {
        return bad_server(whole, "a name has letters, digits, '.', '-' and '_', and starts with a "
                                 "letter or a digit");
    }
    if (!port.empty()) {
        auto number = TRY(parse_number("port", port, 1, 65535));
        server.port = static_cast<std::uint16_t>(number);
    }
    if (server.text().size() > longest_name) {
        return bad_server(whole, fmt::format("it is longer than {} characters", longest_name));
    }
    return server;
}

} // namespace

std::string ServerName::text() const {
    if (port == default_port) {
        return host;
    }
    return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                               : fmt::format("[{}]:{}", host, port);
}

Result<std::string> parse_export_name(std::string_view text) {
    const auto refuse = [&](std::string_view why) {
        return Error{
            ExitCode::usage, fmt::format("'{}' cannot name an export: {}", text, why),
            "use 1 to 63 letters, digits, '.', '_' and '-', the first a letter or a digit"};
    };
    if (text.empty()) {
        return refuse("it is empty");
    }
    if (text.size() > longest_name) {
        return refuse(fmt::format("it is longer than {} characters", longest_name));
    }
    for (const char c : text) {
        if (!is_letter_or_digit(c) && c != '.' && c != '_' && c != '-') {
            return refuse(fmt::format("'{}' is not allowed in it", c));
        }
    }
    if (!is_letter_or_digit(text.front())) {
        return refuse(fmt::format("it starts with '{}'", text.front()));
    }
    return std::string(text);
}

Result<ServerName> parse_server(std::string_view text) {
    if (!text.empty() && text.front() == '[') {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos) {
            return bad_server(text, "the bracket is not closed");
        }
        const std::string_view host = text.substr(1, close - 1);
        const std::string_view rest = text.substr(close + 1);
        if (!is_ipv6(host)) {
            return bad_server(text, "in brackets stands an IPv6 address");
        }
        if (!rest.empty() && (rest.front() != ':' || rest.size() == 1)) {
            return bad_server(text, "after the bracket comes ':' and the port, or nothing");
        }
        return checked(text, host, rest.empty() ? rest : rest.substr(1));
    }
    if (is_ipv6(text)) {
        return checked(text, text, "");
    }
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
        return checked(text, text, "");
    }
    if (text.find(':', colon + 1) != std::string_view::npos) {
        return bad_server(text, "an IPv6 address with a port stands in brackets");
    }
    if (colon + 1 == text.size()) {
        return bad_server(text, "the port after ':' is missing");
    }
    return checked(text, text.substr(0, colon), text.substr(colon + 1));
}

Result<DiskName> parse_disk(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos || text.find('/', slash + 1) != std::string_view::npos) {
        return Error{ExitCode::usage, fmt::format("'{}' does not name a disk of a server", text),
                     "give SERVER/NAME with one slash, such as storage1/scratch"};
    }
    auto server = TRY(parse_server(text.substr(0, slash)));
    auto name = TRY(parse_export_name(text.substr(slash + 1)));
    return DiskName{std::move(server), std::move(name)};
}

} // namespace causeway
