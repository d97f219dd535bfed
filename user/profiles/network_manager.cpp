// SPDX-License-Identifier: GPL-2.0-or-later
// NetworkManager: keyfiles (nm-settings-keyfile(5)) in the three folders that it reads. A keyfile
// of type infiniband without a name and an address applies to every such interface.
#include "config/file_header.h"
#include "profiles/profile.h"
#include "profiles/reading.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace causeway {

namespace fs = std::filesystem;

namespace {

struct KeyfileFolder {
    const char *path;
    const char *suffix; // in /etc a file of any name is read
};
constexpr std::array keyfile_folders = {
    KeyfileFolder{"etc/NetworkManager/system-connections", ""},
    KeyfileFolder{"run/NetworkManager/system-connections", ".nmconnection"},
    KeyfileFolder{"usr/lib/NetworkManager/system-connections", ".nmconnection"},
};

// Evaluates interface-name= of [match]: a list of globs, where "!" excludes a name and "&" requires
// the pattern to match.
bool match_names_fit(const std::vector<std::string> &patterns, const std::string &name) {
    bool wanted = false;
    bool found = false;
    for (std::string pattern : patterns) {
        bool demanded = false;
        bool excluded = false;
        while (!pattern.empty() && std::string("!&|").find(pattern.front()) != std::string::npos) {
            excluded = excluded != (pattern.front() == '!');
            demanded = demanded || pattern.front() == '&';
            pattern.erase(0, 1);
        }
        const bool fits = fits_glob(pattern, name);
        if (excluded ? fits : demanded && !fits) {
            return false;
        }
        wanted = wanted || !excluded;
        found = found || (!excluded && fits);
    }
    return found || !wanted;
}

// Returns the name of the interface that a connection to a partition makes: the parent's name and
// the P_Key.
std::string partition_name(const std::vector<KeyValue> &lines) {
    const std::string parent = value_of(lines, "infiniband", "parent");
    const std::string pkey = value_of(lines, "infiniband", "p-key");
    if (parent.empty() || pkey.empty() || pkey == "-1") {
        return {};
    }
    const unsigned long number = std::strtoul(pkey.c_str(), nullptr, 0);
    std::array<char, 8> digits{};
    std::snprintf(digits.data(), digits.size(), ".%04lx", (number | 0x8000UL) & 0xffffUL);
    return parent.substr(0, 10) + digits.data();
}

bool keyfile_fits(const std::vector<KeyValue> &lines, const InterfaceIdentity &interface) {
    // NetworkManager generated this profile itself, for an interface that another program had set
    // up.
    if (value_of(lines, ".nmmeta", "nm-generated") == "true") {
        return false;
    }
    const std::string name = value_of(lines, "connection", "interface-name");
    if (!name.empty()) {
        return name == interface.name;
    }
    if (value_of(lines, "connection", "type") != "infiniband") {
        return false;
    }
    const std::string partition = partition_name(lines);
    if (!partition.empty()) {
        return partition == interface.name;
    }
    const std::string address = value_of(lines, "infiniband", "mac-address");
    if (!address.empty() && !same_port(address, interface.address)) {
        return false;
    }
    return match_names_fit(split(value_of(lines, "match", "interface-name"), "; \t"),
                           interface.name);
}

} // namespace

std::optional<Profile> network_manager_profile(World &world, const InterfaceIdentity &interface) {
    for (const KeyfileFolder &folder : keyfile_folders) {
        for (const fs::path &place :
             files_of_folder(world.places.of_others(folder.path), folder.suffix)) {
            const std::string content = text_of_file(place);
            if (is_ours(content)) {
                continue;
            }
            const auto lines = read_key_values(content);
            if (keyfile_fits(lines, interface)) {
                return Profile{Manager::network_manager, place,
                               value_of(lines, "connection", "id")};
            }
        }
    }
    return std::nullopt;
}

} // namespace causeway
