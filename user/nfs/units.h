// SPDX-License-Identifier: GPL-2.0-or-later
// systemd units that mount NFS folders at boot.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace causeway {

// "srv-home.mount".
std::string mount_unit_name(std::string_view directory);
// The folder of the link that enables such a unit.
inline constexpr const char *mount_unit_wanted_by = "remote-fs.target.wants";
// Returns the text of the unit's file. The unit mounts by the helper mount.nfs-causeway.
std::string mount_unit_text(std::string_view source, std::string_view directory,
                            std::string_view options);

// Returns true if the text of a unit starts with the comment of mount_unit_text().
bool is_mount_unit_of_causeway(std::string_view text);

struct UnitMount {
    std::string source;
    std::string directory;
    std::string options; // without _netdev
};
// Reads what mount_unit_text() wrote. Returns none if a line is missing.
std::optional<UnitMount> parse_mount_unit(std::string_view text);

} // namespace causeway
