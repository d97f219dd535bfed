// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/fstab.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <sstream>
#include <utility>

namespace causeway {

namespace {

bool begins_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

// Encodes a label as udev does in ID_FS_LABEL_ENC and in the name of a link: a byte that a name
// must not have becomes \xHH. UTF-8 stays.
std::string udev_encoded(std::string_view label) {
    std::string encoded;
    for (const char c : label) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = byte >= 0x80 || std::isalnum(byte) != 0 ||
                           std::string_view("#+-.:=@_").find(c) != std::string_view::npos;
        encoded += plain ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
    }
    return encoded;
}

std::string without_quotes(std::string text) {
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
        return text.substr(1, text.size() - 2);
    }
    return text;
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// "causeway0" and "causeway0p1".
bool is_name_of_disk(std::string_view name) {
    constexpr std::string_view start = "causeway";
    return begins_with(name, start) && name.size() > start.size() &&
           std::isdigit(static_cast<unsigned char>(name[start.size()])) != 0;
}

bool is_link_of_disk(const std::string &device) {
    return begins_with(device, "/dev/causeway/") ||
           begins_with(device, "/dev/disk/by-id/causeway-") ||
           (begins_with(device, "/dev/") && is_name_of_disk(device.substr(5)));
}

// A mapping may lie on other mappings. Sysfs has no cycle; the depth is limited all the same.
bool is_above_disk(KernelFiles &files, const std::string &name, int depth) {
    if (is_name_of_disk(name)) {
        return true;
    }
    const auto below = files.list("/sys/class/block/" + name + "/slaves");
    return depth > 0 && std::any_of(below.begin(), below.end(), [&](const std::string &each) {
               return is_above_disk(files, each, depth - 1);
           });
}

std::string value_of_uevent(const std::string &text, const std::string &key) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (begins_with(line, key + "=")) {
            return line.substr(key.size() + 1);
        }
    }
    return {};
}

} // namespace

std::optional<std::string> device_of_source(const std::string &source) {
    constexpr std::array tags = {
        std::pair{"UUID", "uuid"},
        std::pair{"LABEL", "label"},
        std::pair{"PARTUUID", "partuuid"},
        std::pair{"PARTLABEL", "partlabel"},
        std::pair{"ID", "id"},
    };
    for (const auto &[tag, folder] : tags) {
        const std::string start = std::string(tag) + "=";
        if (!begins_with(source, start)) {
            continue;
        }
        const std::string value = without_quotes(source.substr(start.size()));
        const bool is_number = std::string_view(tag).find("UUID") != std::string_view::npos;
        return fmt::format("/dev/disk/by-{}/{}", folder,
                           is_number ? lower(value) : udev_encoded(value));
    }
    return begins_with(source, "/dev/") ? std::optional(source) : std::nullopt;
}

bool is_on_causeway_disk(World &world, const std::string &device) {
    constexpr int most_layers = 8;
    if (is_link_of_disk(device)) {
        return true;
    }
    const auto found = world.disk_use.find(device);
    if (!found || !found->is_device) {
        return false;
    }
    const std::string place =
        fmt::format("/sys/dev/block/{}:{}/uevent", found->major, found->minor);
    const std::string name = value_of_uevent(text_of(world.files, place), "DEVNAME");
    return !name.empty() && is_above_disk(world.files, name, most_layers);
}

} // namespace causeway
