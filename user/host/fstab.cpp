// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/fstab.h"

#include "host/mount_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>
#include <utility>

namespace causeway {

bool FstabLine::has(std::string_view option) const {
    return std::find(options.begin(), options.end(), option) != options.end();
}

std::vector<FstabLine> parse_fstab(std::string_view text) {
    constexpr const char *blanks = " \t\r";
    std::vector<FstabLine> found;
    std::istringstream lines{std::string(text)};
    unsigned int number = 0;
    for (std::string line; std::getline(lines, line);) {
        number++;
        std::istringstream words(line);
        FstabLine one;
        std::string options;
        if (!(words >> one.source >> one.directory >> one.type) || one.source.front() == '#') {
            continue;
        }
        words >> options;
        one.number = number;
        one.text = line.substr(line.find_first_not_of(blanks));
        one.text.erase(one.text.find_last_not_of(blanks) + 1);
        one.source = unescaped_mount_word(one.source);
        one.directory = unescaped_mount_word(one.directory);
        std::istringstream list(options);
        for (std::string option; std::getline(list, option, ',');) {
            one.options.push_back(option);
        }
        found.push_back(std::move(one));
    }
    return found;
}

std::string fstab_line(const std::string &link, const std::string &name) {
    return fmt::format("{}  /mnt/{}  auto  {}  0  2", link, name, fstab_options);
}

} // namespace causeway
