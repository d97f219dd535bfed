// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/units.h"

#include "base/systemd_name.h"

#include <fmt/format.h>

namespace causeway {

namespace {

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

} // namespace

std::string mount_unit_name(std::string_view directory) {
    return escaped_path(directory) + ".mount";
}

std::string mount_unit_text(std::string_view source, std::string_view directory,
                            std::string_view options) {
    return fmt::format("# Written by \"causeway nfs mount\"; \"causeway nfs umount\" removes it.\n"
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
                       unit_value(source), unit_value(source), unit_value(directory),
                       options.empty() ? "" : ",", unit_value(options));
}

} // namespace causeway
