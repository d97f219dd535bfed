// SPDX-License-Identifier: GPL-2.0-or-later
// systemd-networkd: the [Match] sections of systemd.network(5) in all folders that it reads. A file
// hides the files of the same name in later folders. /run/systemd/netif/links contains the file
// that networkd itself chose.
#include "config/file_header.h"
#include "profiles/profile.h"
#include "profiles/reading.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr std::array folders = {"etc", "run", "usr/local/lib", "usr/lib", "lib"};
// Older versions apply a file without a match to every interface, later ones ignore it.
constexpr unsigned long first_that_wants_a_match = 243;
constexpr const char *match = "Match";

unsigned long networkd_version(World &world) {
    auto end = world.processes.run({"networkctl", "--version"});
    const std::size_t digits =
        end && end->good() ? end->out.find_first_of("0123456789") : std::string::npos;
    return digits == std::string::npos ? 0 : std::strtoul(&end->out[digits], nullptr, 10);
}

// Returns the files by name. Each name occurs once, with the file of the first folder that has it.
std::map<std::string, fs::path> network_files(const Places &places, const std::string &subfolder,
                                              std::string_view suffix) {
    std::map<std::string, fs::path> found;
    for (const char *folder : folders) {
        const fs::path place = places.of_others(std::string(folder) + "/systemd/network");
        for (const fs::path &each : files_of_folder(place / subfolder, suffix)) {
            found.emplace(each.filename().string(), each);
        }
    }
    return found;
}

// Evaluates lists of patterns, one list on each line. A "!" before the first pattern makes the
// whole line exclude. No excluding pattern may fit, and if there are other patterns, one of them
// must fit.
template <typename Fits> bool list_fits(const std::vector<std::string> &values, Fits fits) {
    bool found = false;
    bool wants = false;
    for (const std::string &value : values) {
        const bool excludes = value.front() == '!';
        for (const std::string &pattern : split(excludes ? value.substr(1) : value, " \t")) {
            const bool fitting = fits(pattern);
            if (excludes && fitting) {
                return false;
            }
            wants = wants || !excludes;
            found = found || fitting;
        }
    }
    return found || !wants;
}

struct Condition {
    const char *key;
    bool (*fits)(const InterfaceIdentity &interface, const std::string &pattern);
};

// Compares a property of udev. If udev does not know the property, the pattern counts as fitting.
bool udev_fits(const InterfaceIdentity &interface, const std::string &key,
               const std::string &pattern) {
    const auto found = interface.udev.find(key);
    return found == interface.udev.end() || fits_glob(pattern, found->second);
}

bool name_fits(const InterfaceIdentity &interface, const std::string &pattern) {
    return fits_glob(pattern, interface.name);
}

bool address_fits(const InterfaceIdentity &interface, const std::string &pattern) {
    return same_port(interface.address, pattern);
}

bool property_fits(const InterfaceIdentity &interface, const std::string &pattern) {
    const std::size_t equals = pattern.find('=');
    return equals == std::string::npos ||
           udev_fits(interface, pattern.substr(0, equals), pattern.substr(equals + 1));
}

bool never_fits(const InterfaceIdentity & /*interface*/, const std::string & /*pattern*/) {
    return false;
}

constexpr std::array conditions = {
    Condition{"Name", name_fits},
    Condition{"OriginalName", name_fits},
    Condition{"MACAddress", address_fits},
    Condition{"PermanentMACAddress", address_fits},
    Condition{"Type", [](const InterfaceIdentity & /*interface*/,
                         const std::string &pattern) { return fits_glob(pattern, "infiniband"); }},
    Condition{"Kind",
              [](const InterfaceIdentity & /*interface*/, const std::string &pattern) {
                  return fits_glob(pattern, "ipoib") || fits_glob(pattern, "none");
              }},
    Condition{"Driver",
              [](const InterfaceIdentity &interface, const std::string &pattern) {
                  return fits_glob(pattern, "ib_ipoib") ||
                         (interface.udev.count("ID_NET_DRIVER") != 0 &&
                          udev_fits(interface, "ID_NET_DRIVER", pattern));
              }},
    Condition{"Path",
              [](const InterfaceIdentity &interface, const std::string &pattern) {
                  return udev_fits(interface, "ID_PATH", pattern);
              }},
    Condition{"Property", property_fits},
    Condition{"WLANInterfaceType", never_fits},
    Condition{"SSID", never_fits},
    Condition{"BSSID", never_fits},
};

bool section_fits(const std::vector<KeyValue> &lines, const InterfaceIdentity &interface,
                  bool empty_fits) {
    bool any = false;
    for (const Condition &each : conditions) {
        const auto values = values_of(lines, match, each.key);
        if (values.empty()) {
            continue;
        }
        any = true;
        const auto fits = [&](const std::string &pattern) { return each.fits(interface, pattern); };
        if (!list_fits(values, fits)) {
            return false;
        }
    }
    // Conditions on the host (Host=, Virtualization=, KernelVersion=) count as met.
    const bool of_host = std::any_of(lines.begin(), lines.end(), [](const KeyValue &line) {
        return line.section == match && !line.value.empty() &&
               std::none_of(conditions.begin(), conditions.end(),
                            [&](const Condition &each) { return line.key == each.key; });
    });
    return any || of_host || empty_fits;
}

// Returns the file that networkd chose when it last examined the interface.
std::optional<fs::path> chosen_file(const Places &places, const InterfaceIdentity &interface) {
    if (interface.index.empty()) {
        return std::nullopt;
    }
    const auto state = read_key_values(
        text_of_file(places.of_others("run/systemd/netif/links/" + interface.index)));
    const std::string file = value_of(state, "", "NETWORK_FILE");
    if (file.size() < 2 || file.front() != '/') {
        return std::nullopt;
    }
    const fs::path place = places.of_others(file.substr(1));
    std::error_code failure;
    if (!fs::exists(place, failure) || is_ours(text_of_file(place))) {
        return std::nullopt;
    }
    return place;
}

} // namespace

std::optional<Profile> networkd_profile(World &world, const InterfaceIdentity &interface) {
    if (const auto chosen = chosen_file(world.places, interface)) {
        return Profile{Manager::networkd, *chosen};
    }
    for (const auto &[name, place] : network_files(world.places, "", ".network")) {
        std::string content = text_of_file(place);
        // An empty file, or a link to /dev/null, masks the files of the same name.
        if (content.empty() || is_ours(content)) {
            continue;
        }
        for (const auto &[dropin, where] : network_files(world.places, name + ".d", ".conf")) {
            content += "\n" + text_of_file(where);
        }
        const auto lines = read_key_values(content);
        const bool empty = std::none_of(lines.begin(), lines.end(),
                                        [](const KeyValue &line) { return line.section == match; });
        const bool empty_fits = empty && networkd_version(world) < first_that_wants_a_match;
        if (section_fits(lines, interface, empty_fits)) {
            return Profile{Manager::networkd, place};
        }
    }
    return std::nullopt;
}

} // namespace causeway
