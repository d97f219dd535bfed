// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/holders.h"

#include "host/mount_table.h"

#include <fmt/format.h>
#include <optional>
#include <sstream>
#include <string_view>

namespace causeway {

namespace {

constexpr const char *block_devices = "/sys/block";
constexpr const char *swaps = "/proc/swaps";
constexpr const char *exports = "/proc/fs/nfsd/exports";

bool lies_in(std::string_view path, std::string_view directory) {
    return path.substr(0, directory.size()) == directory &&
           (path.size() == directory.size() || path[directory.size()] == '/');
}

std::string text_of(KernelFiles &files, const std::string &path) {
    const auto text = files.read(path);
    return text && *text ? **text : std::string();
}

// The first words of the lines, which are paths in both files.
std::vector<std::string> first_words(const std::string &text) {
    std::vector<std::string> paths;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        std::string word;
        if (std::istringstream(line) >> word) {
            paths.push_back(unescaped_mount_word(word));
        }
    }
    return paths;
}

} // namespace

std::vector<MountUser> kernel_users(KernelFiles &files, const std::string &directory) {
    std::vector<MountUser> users;
    for (const std::string &device : files.list(block_devices)) {
        if (device.substr(0, 4) != "loop") {
            continue;
        }
        std::string file =
            text_of(files, fmt::format("{}/{}/loop/backing_file", block_devices, device));
        file.erase(file.find_last_not_of('\n') + 1);
        if (lies_in(file, directory)) {
            users.push_back({0, fmt::format("loop device {}", device)});
        }
    }
    for (const std::string &path : first_words(text_of(files, swaps))) {
        if (lies_in(path, directory)) {
            users.push_back({0, fmt::format("swap file {}", path)});
        }
    }
    for (const std::string &path : first_words(text_of(files, exports))) {
        if (lies_in(path, directory)) {
            users.push_back({0, fmt::format("export {} by nfsd", path)});
        }
    }
    return users;
}

} // namespace causeway
