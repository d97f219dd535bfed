// SPDX-License-Identifier: GPL-2.0-or-later
// The mount table of this process, from /proc/self/mountinfo.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

inline constexpr const char *mountinfo_place = "/proc/self/mountinfo";

struct MountLine {
    std::string device; // "8:1"
    std::string directory;
    std::string flags;
    std::string type;
    std::string source;
    std::string options;
    std::string id; // id of the mount; the kernel reuses it after umount
};

// Resolves \ooo, by which the kernel escapes blanks and backslashes.
std::string unescaped_mount_word(std::string_view text);

// Returns all mounts that are visible: the last one of several mounts on one folder.
std::vector<MountLine> visible_mounts(std::string_view mountinfo);

} // namespace causeway
