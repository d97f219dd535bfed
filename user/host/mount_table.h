// SPDX-License-Identifier: GPL-2.0-or-later
// What is mounted where, as /proc/self/mountinfo says.
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
    std::string id; // of the mount; the kernel gives it to another one after umount
};

// The kernel writes blanks and backslashes as \ooo.
std::string unescaped_mount_word(std::string_view text);

// All mounts that are seen: of several on one folder the last.
std::vector<MountLine> visible_mounts(std::string_view mountinfo);

} // namespace causeway
