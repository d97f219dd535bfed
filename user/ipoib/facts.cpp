// SPDX-License-Identifier: GPL-2.0-or-later
#include "ipoib/facts.h"

#include "base/socket_address.h"
#include "doctor/gather.h"
#include "host/rdma_devices.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <sys/socket.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

std::string trimmed(const std::string &text) {
    const std::size_t start = text.find_first_not_of(" \t\n");
    return start == std::string::npos
               ? ""
               : text.substr(start, text.find_last_not_of(" \t\n") - start + 1);
}

void gather_interface_files(World &world, IpoibFacts &files_of_others) {
    std::vector<fs::path> files = {world.places.ifupdown() / "interfaces"};
    struct Folder {
        fs::path path;
        std::string suffix;
    };
    for (const Folder &folder :
         {Folder{world.places.network_manager(), ".nmconnection"},
          Folder{world.places.networkd(), ".network"}, Folder{world.places.networkd(), ".netdev"},
          Folder{world.places.ifupdown() / "interfaces.d", ""}}) {
        const auto more = files_in(folder.path, folder.suffix);
        files.insert(files.end(), more.begin(), more.end());
    }
    for (const fs::path &file : files) {
        for (const std::string &interface : wants_connected(text_of(file).value_or(""))) {
            files_of_others.connected_config.emplace(interface, file.string());
        }
    }
}

constexpr unsigned int headers = 28;  // bytes of IPv4 and ICMP
constexpr std::size_t most_peers = 4; // that are pinged, of all interfaces together

bool replies(World &world, const std::string &interface, const std::string &peer,
             std::optional<unsigned int> size) {
    std::vector<std::string> words = {"ping", "-n", "-c", "1", "-W", "1", "-I", interface};
    if (size) {
        words.insert(words.end(), {"-M", "do", "-s", fmt::format("{}", *size)});
    }
    words.push_back(peer);
    return said_by(world, words).has_value();
}

// A neighbour must reply to a small packet and not to one as large as the MTU. So the difference is
// proved, not guessed.
void gather_peers(World &world, const Facts &facts, IpoibFacts &ipoib) {
    std::size_t asked = 0;
    for (const IpoibInterface &each : facts.ipoib) {
        if (!each.up || each.mtu <= headers) {
            continue;
        }
        const auto told = said_by(world, {"ip", "-json", "neigh", "show", "dev", each.name});
        for (const std::string &peer : parse_neighbours(told.value_or(""))) {
            if (asked++ >= most_peers) {
                return;
            }
            if (replies(world, each.name, peer, std::nullopt) &&
                !replies(world, each.name, peer, each.mtu - headers)) {
                ipoib.smaller_peers.push_back({peer, each.name, each.mode, each.mtu});
            }
        }
    }
}

void gather_errors(World &world, const Facts &facts, IpoibFacts &ipoib) {
    for (const IpoibInterface &each : facts.ipoib) {
        if (each.mode != "connected") {
            continue;
        }
        const auto count = [&](const std::string &counter) {
            const auto text =
                sysfs_text(world.files, net_folder(each.name) + "/statistics/" + counter);
            return std::strtoull(text.c_str(), nullptr, 10);
        };
        ipoib.errors[each.name] = count("tx_errors") + count("rx_errors");
        ipoib.packets[each.name] = count("tx_packets") + count("rx_packets");
    }
}

const FactSource ipoib_facts([](World &world, Facts &facts) {
    auto &files_of_others = facts.of<IpoibFacts>();
    gather_interface_files(world, files_of_others);
    gather_peers(world, facts, files_of_others);
    gather_errors(world, facts, files_of_others);
    for (const fs::path &file : files_in(world.places.udev_rules(), ".rules")) {
        if (names_by_full_address(text_of(file).value_or(""))) {
            files_of_others.full_address_rules.push_back(file.string());
        }
    }
});

} // namespace

bool names_by_full_address(std::string_view text) {
    constexpr std::string_view key = "ATTR{address}==\"";
    const auto lines = lines_of(text);
    return std::any_of(lines.begin(), lines.end(), [&](const std::string &line) {
        const std::size_t start = line.find(key);
        if (start == std::string::npos || line.front() == '#' ||
            line.find("NAME=\"") == std::string::npos) {
            return false;
        }
        const std::size_t value = start + key.size();
        const std::string address = line.substr(value, line.find('"', value) - value);
        return address.size() == ipoib_address_text &&
               address.find_first_of("*?") == std::string::npos;
    });
}

std::vector<std::string> parse_neighbours(const std::string &json) {
    std::vector<std::string> peers;
    const auto told = nlohmann::json::parse(json, nullptr, false);
    if (!told.is_array()) {
        return peers;
    }
    for (const auto &each : told) {
        const bool whole = each.is_object() && each.contains("dst") && each["dst"].is_string() &&
                           each.contains("state") && each["state"].is_array();
        if (!whole) {
            continue;
        }
        const bool answered = std::any_of(each["state"].begin(), each["state"].end(),
                                          [](const nlohmann::json &state) {
                                              return state == "REACHABLE" || state == "STALE" ||
                                                     state == "DELAY" || state == "PROBE";
                                          });
        const auto address = SocketAddress::from_text(each["dst"].template get<std::string>());
        if (answered && address && address->family() == AF_INET) {
            peers.push_back(address->host_text());
        }
    }
    return peers;
}

std::vector<std::string> wants_connected(std::string_view text) {
    std::vector<std::string> interfaces;
    std::string interface;
    bool connected = false;
    const auto keep = [&] {
        if (connected && !interface.empty()) {
            interfaces.push_back(interface);
        }
        connected = false;
    };
    for (const std::string &line : lines_of(text)) {
        const std::string plain = trimmed(line);
        const auto words = words_of_line(plain);
        if (words.empty() || plain.front() == '#') {
            continue;
        }
        if (words.front() == "iface" && words.size() > 1) {
            keep();
            interface = words[1];
        } else if (plain.rfind("interface-name=", 0) == 0 || plain.rfind("Name=", 0) == 0) {
            interface = plain.substr(plain.find('=') + 1);
        }
        connected |= plain == "transport-mode=connected" || plain == "Mode=connected" ||
                     (plain.find("connected") != std::string::npos &&
                      plain.find("/mode") != std::string::npos);
    }
    keep();
    return interfaces;
}

} // namespace causeway
