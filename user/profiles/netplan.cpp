// SPDX-License-Identifier: GPL-2.0-or-later
// netplan: its YAML files in three folders. This is no YAML parser: it looks for keys that name an
// interface, wherever they are. Files that netplan made for its renderers are found as profiles of
// those renderers.
#include "profiles/profile.h"
#include "profiles/reading.h"

#include <array>
#include <sstream>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr std::array netplan_folders = {"etc/netplan", "run/netplan", "usr/lib/netplan",
                                        "lib/netplan"};

// Removes a comment at the end of the line.
std::string without_comment(const std::string &line) {
    for (std::size_t i = 0; i < line.size(); i++) {
        if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
            return line.substr(0, i);
        }
    }
    return line;
}

std::string bare(const std::string &text) {
    std::string word = trim(text);
    while (!word.empty() && (word.front() == '-' || word.front() == '"' || word.front() == '\'' ||
                             word.front() == ' ')) {
        word.erase(0, 1);
    }
    while (!word.empty() && (word.back() == '"' || word.back() == '\'' || word.back() == ' ')) {
        word.pop_back();
    }
    return word;
}

// @item has the form "key: value"; the value may be empty.
bool names_interface_here(const std::string &item, const InterfaceIdentity &interface) {
    // The first colon ends the key, also if the key is quoted: the name of an interface contains no
    // colon.
    const std::size_t colon = item.find(':');
    if (colon == std::string::npos) {
        return false;
    }
    const std::string key = bare(item.substr(0, colon));
    const std::string value = bare(item.substr(colon + 1));
    if (key == "macaddress") {
        return same_port(value, interface.address);
    }
    if (key == "name") {
        return fits_glob(value, interface.name);
    }
    if (key == "driver") {
        return fits_glob(value, "ib_ipoib");
    }
    return key == interface.name;
}

bool yaml_names(const std::string &content, const InterfaceIdentity &interface) {
    std::istringstream stream(content);
    for (std::string line; std::getline(stream, line);) {
        for (const std::string &item : split(without_comment(line), "{},")) {
            // The split turns "match: {name: ib0}" into "match:" and "name: ib0". Two keys in one
            // item, such as "match: name: x", are not valid YAML.
            if (names_interface_here(item, interface)) {
                return true;
            }
        }
    }
    return false;
}

} // namespace

std::optional<Profile> netplan_profile(World &world, const InterfaceIdentity &interface) {
    for (const char *folder : netplan_folders) {
        for (const fs::path &place : files_of_folder(world.places.of_others(folder), ".yaml")) {
            if (yaml_names(text_of_file(place), interface)) {
                return Profile{Manager::netplan, place};
            }
        }
    }
    return std::nullopt;
}

} // namespace causeway
