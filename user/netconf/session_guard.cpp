// SPDX-License-Identifier: GPL-2.0-or-later
#include "netconf/session_guard.h"

#include "host/caller_session.h"
#include "host/interface_now.h"
#include "host/ipoib.h"
#include "host/pci_details.h"
#include "host/rdma_devices.h"
#include "netconf/backend.h"
#include "netconf/kept_now.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace causeway {

namespace {

constexpr std::string_view upper_start = "upper_";
constexpr std::string_view lower_start = "lower_";

void add_above(World &world, const std::string &interface, std::set<std::string> &all) {
    if (!all.insert(interface).second) {
        return;
    }
    for (const std::string &name : world.files.list(net_folder(interface))) {
        if (name.compare(0, upper_start.size(), upper_start) == 0) {
            add_above(world, name.substr(upper_start.size()), all);
        }
    }
}

std::set<std::string> all_that_change(World &world, const std::string &interface) {
    std::set<std::string> all;
    add_above(world, interface, all);
    for (const IpoibInterface &each : ipoib_interfaces(world.files, world.processes)) {
        if (!each.parent.empty() && all.count(each.parent) != 0) {
            add_above(world, each.name, all);
        }
    }
    return all;
}

// Returns none if the addresses cannot be read.
std::optional<std::set<std::string>> addresses_of(World &world,
                                                  const std::set<std::string> &interfaces) {
    std::set<std::string> addresses;
    for (const std::string &each : interfaces) {
        if (!world.files.has_folder(net_folder(each))) {
            continue;
        }
        auto now = interface_now(world.processes, each);
        if (!now) {
            return std::nullopt;
        }
        for (const AddressNow &address : now->addresses) {
            addresses.insert(address.address);
        }
    }
    return addresses;
}

// Returns the interface by which packets to that address leave, or "".
std::string way_to(World &world, const std::string &peer) {
    auto end = world.processes.run({"ip", "-json", "route", "get", peer});
    const auto told = end && end->good() ? Json::parse(end->out, nullptr, false) : Json();
    if (!told.is_array() || told.empty() || !told.front().is_object()) {
        return {};
    }
    const auto dev = told.front().find("dev");
    return dev != told.front().end() && dev->is_string() ? dev->get<std::string>() : "";
}

// Returns true for the loopback and tunnels. They have no hardware of their own, and the kernel
// does not report which interface carries their packets.
bool hides_its_way(World &world, const std::string &device) {
    constexpr const char *infiniband_type = "32"; // ARPHRD_INFINIBAND
    if (sysfs_text(world.files, net_folder(device) + "/type") == infiniband_type) {
        return false;
    }
    const auto names = world.files.list(net_folder(device));
    return !names.empty() && std::none_of(names.begin(), names.end(), [](const std::string &name) {
        return name == "device" || name.compare(0, lower_start.size(), lower_start) == 0;
    });
}

bool runs_over(World &world, const SessionEnd &session, const std::set<std::string> &interfaces,
               const std::set<std::string> &addresses) {
    if (interfaces.count(session.scope) != 0 || session.peer.empty()) {
        return true;
    }
    if (!session.local.empty() && addresses.count(session.local.host_text()) != 0) {
        return true;
    }
    const std::string device =
        session.scope.empty() ? way_to(world, session.peer.host_text()) : session.scope;
    return interfaces.count(device) != 0 || hides_its_way(world, device);
}

// Adds the old and the new name of each interface that one of these programs renames.
void add_renamed(const Json &programs, std::set<std::string> &interfaces) {
    const Json rename = {"ip", "link", "set", "dev", "", "name", ""};
    constexpr std::size_t from = 4;
    constexpr std::size_t to = 6;
    for (const Json &words : programs) {
        if (!words.is_array() || words.size() != rename.size()) {
            continue;
        }
        Json same = words;
        same.at(from) = same.at(to) = "";
        if (same == rename && words.at(from).is_string() && words.at(to).is_string()) {
            interfaces.insert(words.at(from).get<std::string>());
            interfaces.insert(words.at(to).get<std::string>());
        }
    }
}

// Adds the interfaces of the adapter if the change sets the type of one of its ports: "port type".
// The kernel then removes the interfaces of all ports.
void add_of_port_type(KernelFiles &files, const Json &change, std::set<std::string> &interfaces) {
    const std::string start = "/sys/class/infiniband/";
    const std::string path = change.value("path", "");
    const std::size_t slash = path.find('/', start.size());
    const bool by_sysfs = path.rfind(start, 0) == 0 && path.find("/device/mlx4_port") == slash;
    std::string handle; // "pci/0000:03:00.0/1" of devlink
    const Json words = change.value("run", Json::array());
    if (words.is_array() && words.size() > 3 && words.at(0) == "devlink" && words.at(1) == "port" &&
        words.at(2) == "set" && words.at(3).is_string()) {
        handle = words.at(3).get<std::string>();
    }
    for (const RdmaDevice &device : rdma_devices(files)) {
        const std::string slot = pci_details_of(files, device.name).slot;
        if ((by_sysfs && path.compare(start.size(), slash - start.size(), device.name) == 0) ||
            (!slot.empty() && handle.rfind("pci/" + slot + "/", 0) == 0)) {
            for (std::string &each : interfaces_of_adapter(files, device.name)) {
                interfaces.insert(std::move(each));
            }
        }
    }
}

// Returns the interfaces that these changes modify.
std::set<std::string> interfaces_of(const World &world, const std::vector<ChangePointer> &changes) {
    std::set<std::string> interfaces;
    const std::string start = net_folder("");
    for (const ChangePointer &change : changes) {
        const Json json = change->json();
        for (const char *key : {"interface", "parent", "name"}) {
            const bool ours = key != std::string("name") || json.contains("pkey");
            if (ours && json.contains(key) && json.at(key).is_string()) {
                interfaces.insert(json.at(key).get<std::string>());
            }
        }
        const std::filesystem::path place = json.value("path", "");
        if (place.parent_path() == world.places.interfaces()) {
            interfaces.insert(place.stem().string());
        }
        interfaces.insert(interface_of_networkd_file(world.places, place));
        add_renamed(json.value("run", Json::array()), interfaces);
        add_of_port_type(world.files, json, interfaces);
        const std::string path = place.string();
        if (path.compare(0, start.size(), start) == 0) {
            interfaces.insert(
                path.substr(start.size(), path.find('/', start.size()) - start.size()));
        }
    }
    interfaces.erase("");
    return interfaces;
}

// Returns the interfaces of the ports that the undo disables, which is the undo of "port enable".
std::set<std::string> interfaces_of_disabled(World &world, const JournalEntry &entry) {
    constexpr std::size_t device = 2; // in: ibportstate -C DEVICE -P PORT -D 0 PORT disable
    constexpr std::size_t port = 4;
    std::set<std::string> interfaces;
    for (const ChangePointer &change : entry.changes) {
        const Json json = change->json();
        const Json words = json.value("undo", Json::array());
        const bool disables = json.value("kind", "") == "program" && words.size() > port &&
                              words.front() == "ibportstate" && words.back() == "disable";
        if (!disables || !words.at(device).is_string() || !words.at(port).is_string()) {
            continue;
        }
        const std::string number = words.at(port).get<std::string>();
        unsigned int parsed = 0;
        std::from_chars(number.data(), number.data() + number.size(), parsed);
        for (std::string &each :
             interfaces_of_port(world, words.at(device).get<std::string>(), parsed)) {
            interfaces.insert(std::move(each));
        }
    }
    return interfaces;
}

// Returns what an interface has now, and the addresses that the undo restores on it.
Json held_now(World &world, const JournalEntry &entry, const std::string &interface) {
    auto now = look_at_interface(world, interface);
    auto held = now ? hold_addresses(*now, interface, nullptr) : nullptr;
    if (!held) {
        return nullptr;
    }
    Json json = held->json();
    for (const ChangePointer &change : entry.changes) {
        const Json other = change->json();
        if (other.at("kind") != json.at("kind") || other.at("interface") != interface) {
            continue;
        }
        for (const Json &address : other.at("addresses")) {
            const auto &has = json.at("addresses");
            if (std::find(has.begin(), has.end(), address) == has.end()) {
                json.at("brought").push_back(address);
            }
        }
    }
    return json;
}

} // namespace

std::vector<std::string> interfaces_of_port(World &world, const std::string &device,
                                            unsigned int port) {
    std::vector<std::string> names;
    for (const IpoibInterface &each : ipoib_interfaces(world.files, world.processes)) {
        const auto own = ipoib_port(world.files, each);
        if (own && own->device == device && own->port == port) {
            names.push_back(each.name);
        }
    }
    return names;
}

std::optional<Guard> guard_of_session(World &world, const std::vector<std::string> &interfaces) {
    auto sessions = sessions_of_caller(world.places.of_others("proc"));
    const auto logins = remote_logins(world.places);
    sessions.insert(sessions.end(), logins.begin(), logins.end());
    if (sessions.empty()) {
        return std::nullopt;
    }
    for (const std::string &interface : interfaces) {
        const auto all = all_that_change(world, interface);
        const auto addresses = addresses_of(world, all);
        for (const SessionEnd &each : sessions) {
            if (!addresses || runs_over(world, each, all, *addresses)) {
                return Guard{interface, each.peer_text()};
            }
        }
    }
    return std::nullopt;
}

std::optional<Guard> guard_of_changes(World &world, std::vector<std::string> interfaces,
                                      const ChangeSet &set) {
    for (const std::string &each : interfaces_of(world, set.changes())) {
        if (std::find(interfaces.begin(), interfaces.end(), each) == interfaces.end()) {
            interfaces.push_back(each);
        }
    }
    return guard_of_session(world, interfaces);
}

std::optional<Guard> guard_of_others(World &world, const std::vector<std::string> &but,
                                     const ChangeSet &set) {
    auto interfaces = interfaces_of(world, set.changes());
    for (const std::string &each : but) {
        interfaces.erase(each);
    }
    return guard_of_session(world, {interfaces.begin(), interfaces.end()});
}

std::optional<Guard> guard_of_undo(World &world, const JournalEntry &entry) {
    const auto interfaces = interfaces_of(world, entry.changes);
    auto cut = interfaces_of_disabled(world, entry);
    cut.insert(interfaces.begin(), interfaces.end());
    auto guard = guard_of_session(world, {cut.begin(), cut.end()});
    if (guard) {
        for (const std::string &each : interfaces) {
            if (Json held = held_now(world, entry, each); !held.is_null()) {
                guard->held.push_back(std::move(held));
            }
        }
    }
    return guard;
}

} // namespace causeway
