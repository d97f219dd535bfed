// SPDX-License-Identifier: GPL-2.0-or-later
#include "subnet/settings.h"

#include "config/file_header.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <sstream>

namespace causeway {

namespace {

constexpr std::string_view line_blanks = " \t\r";

std::string_view without_blanks(std::string_view text) {
    const std::size_t first = text.find_first_not_of(line_blanks);
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(line_blanks) - first + 1);
}

// IBA 4.1.1: the default prefix is link-local, FE80::/64. The rest of FE80::/10 is reserved, and
// FF00::/8 is of multicast groups.
constexpr std::uint64_t default_prefix = 0xfe80000000000000U;
constexpr unsigned int link_local_bits = 10;
constexpr unsigned int multicast_bits = 8;

bool begins_with(std::uint64_t prefix, std::uint64_t start, unsigned int bits) {
    return prefix >> (64U - bits) == start >> (64U - bits);
}

std::optional<std::uint64_t> upper_half(const std::string &text) {
    if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        const std::string digits = text.substr(2);
        const bool good = digits.size() <= 16 &&
                          std::all_of(digits.begin(), digits.end(),
                                      [](unsigned char c) { return std::isxdigit(c) != 0; });
        return good ? std::optional<std::uint64_t>(std::strtoull(digits.c_str(), nullptr, 16))
                    : std::nullopt;
    }
    std::array<unsigned char, 16> gid{};
    const bool closed = text.find("::") != std::string::npos;
    if (!closed && std::count(text.begin(), text.end(), ':') != 3) {
        return std::nullopt;
    }
    if (inet_pton(AF_INET6, (closed ? text : text + "::").c_str(), gid.data()) != 1 ||
        std::any_of(gid.begin() + 8, gid.end(), [](unsigned char byte) { return byte != 0; })) {
        return std::nullopt;
    }
    std::uint64_t prefix = 0;
    for (std::size_t i = 0; i < 8; i++) {
        prefix = prefix << 8U | gid.at(i);
    }
    return prefix;
}

} // namespace

Result<std::string> parse_subnet_prefix(const std::string &text) {
    const auto prefix = upper_half(text);
    std::string reason;
    if (!prefix) {
        reason = fmt::format("'{}' is no prefix of 64 bits", text);
    } else if (*prefix == 0) {
        reason = "a subnet prefix of zero is reserved";
    } else if (*prefix != default_prefix && begins_with(*prefix, default_prefix, link_local_bits)) {
        reason = fmt::format("the prefix '{}' is reserved: it is link-local", text);
    } else if (begins_with(*prefix, 0xff00000000000000U, multicast_bits)) {
        reason = fmt::format("the prefix '{}' is that of multicast groups", text);
    }
    if (!reason.empty()) {
        return Error{ExitCode::usage, reason,
                     "give a site-local prefix, from fec0:0:0:1 to fec0:0:0:ffff, a global one, or "
                     "the default, fe80::"};
    }
    return fmt::format("0x{:016x}", *prefix);
}

OpensmSettings::OpensmSettings(std::string_view text) {
    std::istringstream stream{std::string(text)};
    for (std::string line; std::getline(stream, line);) {
        const std::string_view content = without_blanks(line);
        if (content.empty() || is_ours(content)) {
            continue;
        }
        if (content.front() == '#') {
            lines_.push_back({"", std::string(content)});
            continue;
        }
        const std::size_t end = std::min(content.find_first_of(line_blanks), content.size());
        lines_.push_back({std::string(content.substr(0, end)),
                          std::string(without_blanks(content.substr(end)))});
    }
}

std::optional<std::string> OpensmSettings::value(std::string_view key) const {
    const auto last = std::find_if(lines_.rbegin(), lines_.rend(),
                                   [&](const Line &each) { return each.key == key; });
    return last == lines_.rend() ? std::nullopt : std::optional(last->value);
}

void OpensmSettings::set(const std::string &key, const std::string &value) {
    const auto same = [&](const Line &each) { return each.key == key; };
    const auto first = std::find_if(lines_.begin(), lines_.end(), same);
    if (first == lines_.end()) {
        lines_.push_back({key, value});
        return;
    }
    first->value = value;
    lines_.erase(std::remove_if(std::next(first), lines_.end(), same), lines_.end());
}

void OpensmSettings::erase(std::string_view key) {
    lines_.erase(std::remove_if(lines_.begin(), lines_.end(),
                                [&](const Line &each) { return each.key == key; }),
                 lines_.end());
}

void OpensmSettings::subtract(const OpensmSettings &others) {
    lines_.erase(std::remove_if(lines_.begin(), lines_.end(),
                                [&](const Line &each) {
                                    return std::find(others.lines_.begin(), others.lines_.end(),
                                                     each) != others.lines_.end();
                                }),
                 lines_.end());
}

void OpensmSettings::append(const OpensmSettings &others) {
    lines_.insert(lines_.end(), others.lines_.begin(), others.lines_.end());
}

std::string OpensmSettings::text() const {
    std::string text;
    for (const Line &line : lines_) {
        text += line.key;
        text += line.key.empty() || line.value.empty() ? "" : " ";
        text += line.value + "\n";
    }
    return text;
}

} // namespace causeway
