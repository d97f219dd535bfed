// SPDX-License-Identifier: GPL-2.0-or-later
// The lines of fstab(5).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct FstabLine {
    unsigned int number = 0; // of the line in the file, from 1
    std::string text;        // the line as it is in the file, without the blanks around it
    std::string source;      // "/dev/sdb1", "UUID=...", "server:/srv"
    std::string directory;
    std::string type;
    std::vector<std::string> options;

    bool has(std::string_view option) const;
};

// Returns the lines that describe a file system. Comments and lines with less than three fields are
// left out.
std::vector<FstabLine> parse_fstab(std::string_view text);

// The options that a file system on an attached disk needs.
inline constexpr std::string_view fstab_options = "_netdev,nofail,x-systemd.device-timeout=5min";

// Returns the line for an attached disk. @link: the path of the disk; @name: that of its export.
std::string fstab_line(const std::string &link, const std::string &name);

} // namespace causeway
