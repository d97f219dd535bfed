// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/units.h"

#include "base/systemd_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace causeway {

namespace {

constexpr std::string_view first_words = "# Written by \"causeway nfs mount\"";

// Escapes a value for a unit, in which '%' starts a specifier and a backslash an escape.
std::string unit_value(std::string_view text) {
    std::string value;
    for (const char c : text) {
        if (c == '%' || c == '\\') {
            value += c;
        }
        value += c;
    }
    return value;
}

// Reverses unit_value().
std::string value_of_unit(std::string_view text) {
    std::string value;
    for (std::size_t at = 0; at < text.size(); ++at) {
        value += text[at];
        if ((text[at] == '%' || text[at] == '\\') && at + 1 < text.size() &&
            text[at + 1] == text[at]) {
            ++at;
        }
    }
    return value;
}

} // namespace

std::string mount_unit_name(std::string_view directory) {
    return escaped_path(directory) + ".mount";
}

std::string mount_unit_text(std::string_view source, std::string_view directory,
                            std::string_view options) {
    return fmt::format("{}; \"causeway nfs umount\" removes it.\n"
                       "[Unit]\n"
                       "Description={} by RDMA where there is RDMA\n"
                       "Wants=network-online.target\n"
                       "After=network-online.target causeway.service\n"
                       "ConditionFileIsExecutable=/usr/sbin/mount.nfs-causeway\n"
                       "\n"
                       "[Mount]\n"
                       "What={}\n"
                       "Where={}\n"
                       "Type=nfs-causeway\n"
                       "Options=_netdev{}{}\n"
                       "TimeoutSec=5min\n"
                       "\n"
                       "[Install]\n"
                       "WantedBy=remote-fs.target\n",
                       first_words, unit_value(source), unit_value(source), unit_value(directory),
                       options.empty() ? "" : ",", unit_value(options));
}

bool is_mount_unit_of_causeway(std::string_view text) {
    return text.substr(0, first_words.size()) == first_words;
}

std::optional<UnitMount> parse_mount_unit(std::string_view text) {
    constexpr std::string_view netdev = "_netdev";
    UnitMount mount;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        const std::size_t equals = line.find('=');
        if (equals == std::string::npos) {
            continue;
        }
        const std::string key = line.substr(0, equals);
        std::string value = value_of_unit(std::string_view(line).substr(equals + 1));
        if (key == "What") {
            mount.source = std::move(value);
        } else if (key == "Where") {
            mount.directory = std::move(value);
        } else if (key == "Options" && value.substr(0, netdev.size()) == netdev) {
            mount.options = value.substr(std::min(netdev.size() + 1, value.size()));
        }
    }
    return mount.source.empty() || mount.directory.empty() ? std::nullopt : std::optional(mount);
}

} // namespace causeway
