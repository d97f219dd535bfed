// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/mount_table.h"

#include <algorithm>
#include <optional>
#include <sstream>

namespace causeway {

namespace {

std::optional<MountLine> mount_line(const std::string &line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (dash - words.begin() < 6 || words.end() - dash < 4) {
        return std::nullopt;
    }
    return MountLine{words[2], unescaped_mount_word(words[4]), words[5],
                     dash[1],  unescaped_mount_word(dash[2]),  unescaped_mount_word(dash[3]),
                     words[0]};
}

} // namespace

std::string unescaped_mount_word(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); i++) {
        const auto octal = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '7'; };
        if (text[i] == '\\' && i + 3 < text.size() && octal(i + 1) && octal(i + 2) &&
            octal(i + 3)) {
            plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                       (text[i + 3] - '0'));
            i += 3;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

std::vector<MountLine> visible_mounts(std::string_view mountinfo) {
    std::istringstream stream{std::string(mountinfo)};
    std::vector<MountLine> seen;
    for (std::string text; std::getline(stream, text);) {
        auto line = mount_line(text);
        if (!line) {
            continue;
        }
        seen.erase(std::remove_if(
                       seen.begin(), seen.end(),
                       [&](const MountLine &other) { return other.directory == line->directory; }),
                   seen.end());
        seen.push_back(*std::move(line));
    }
    return seen;
}

} // namespace causeway
