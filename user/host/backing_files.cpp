// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/backing_files.h"

#include "host/mount_table.h"

#include <fmt/format.h>
#include <sstream>

namespace causeway {

std::vector<LoopDevice> loop_devices(KernelFiles &files) {
    constexpr const char *devices = "/sys/class/block";
    std::vector<LoopDevice> found;
    for (const std::string &name : files.list(devices)) {
        if (name.rfind("loop", 0) != 0) {
            continue;
        }
        std::string file = text_of(files, fmt::format("{}/{}/loop/backing_file", devices, name));
        file.erase(file.find_last_not_of('\n') + 1);
        if (!file.empty()) {
            found.push_back({name, std::move(file)});
        }
    }
    return found;
}

std::vector<std::string> swap_areas(KernelFiles &files) {
    return paths_of_lines(text_of(files, "/proc/swaps"));
}

std::vector<std::string> paths_of_lines(const std::string &text) {
    std::vector<std::string> paths;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        std::string word;
        if (std::istringstream(line) >> word && word.front() == '/') {
            paths.push_back(unescaped_mount_word(word));
        }
    }
    return paths;
}

} // namespace causeway
