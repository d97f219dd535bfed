// SPDX-License-Identifier: GPL-2.0-or-later
// Network interfaces and what filters them: ip(8), ethtool(8), dcb(8), ping(8), the firewall.
#include "doctor/gather.h"
#include "host/soft_rdma.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace causeway {

namespace {

constexpr unsigned int plain_mtu = 1500;
constexpr unsigned int headers = 28; // of IPv4 and ICMP
constexpr std::size_t most_pings = 4;
constexpr unsigned long ibacm_group = 1UL << 2U; // RDMA_NL_GROUP_LS, as a mask

// "10.0.0.7", 24: "10.0.0.0/24". Empty where it is no address.
std::string network_of(const std::string &address, bool ipv4, unsigned int length) {
    std::array<std::uint8_t, sizeof(in6_addr)> bytes{};
    const int family = ipv4 ? AF_INET : AF_INET6;
    const std::size_t size = ipv4 ? sizeof(in_addr) : sizeof(in6_addr);
    if (::inet_pton(family, address.c_str(), bytes.data()) != 1) {
        return {};
    }
    for (std::size_t bit = length; bit < size * 8; bit++) {
        bytes[bit / 8] &= static_cast<std::uint8_t>(~(0x80U >> (bit % 8)));
    }
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(family, bytes.data(), text.data(), text.size());
    return fmt::format("{}/{}", text.data(), length);
}

unsigned int number_in(KernelFiles &files, const std::string &path) {
    return static_cast<unsigned int>(std::strtoul(sysfs_text(files, path).c_str(), nullptr, 10));
}

// The kernel takes the larger of "all" and the interface's own.
unsigned int setting_of(KernelFiles &files, const std::string &interface, const std::string &key) {
    const std::string folder = "/proc/sys/net/ipv4/conf/";
    return std::max(number_in(files, folder + "all/" + key),
                    number_in(files, folder + interface + "/" + key));
}

// Pause frames both ways, or priority flow control for any priority. None: neither can be asked.
std::optional<bool> lossless(World &world, const std::string &interface) {
    const auto pause = said_by(world, {"ethtool", "-a", interface});
    const auto pfc = said_by(world, {"dcb", "pfc", "show", "dev", interface});
    if (!pause && !pfc) {
        return std::nullopt;
    }
    for (const std::string &line : lines_of(pause.value_or(""))) {
        const auto words = words_of_line(line);
        if (words.size() == 2 && words[0] == "RX:" && words[1] == "on") {
            return true;
        }
    }
    return pfc && pfc->find(":on") != std::string::npos;
}

bool hardware_roce_on(const Facts &facts, const std::string &interface) {
    return std::any_of(facts.devices.begin(), facts.devices.end(), [&](const DeviceFacts &device) {
        return device.device.netdev == interface && device.device.soft.empty() && !device.iwarp() &&
               !device.ports.empty() && device.ports.front().roce();
    });
}

bool segments(World &world, const std::string &interface) {
    const auto features = said_by(world, {"ethtool", "-k", interface});
    return features && features->find("tcp-segmentation-offload: on") != std::string::npos;
}

const NetInterface *interface_of(const Facts &facts, const std::string &address) {
    for (const NetInterface &each : facts.interfaces) {
        for (const LocalAddress &local : each.addresses) {
            if (local.text == address) {
                return &each;
            }
        }
    }
    return nullptr;
}

bool answers(World &world, const std::string &peer, std::optional<unsigned int> size) {
    std::vector<std::string> words = {"ping", "-n", "-c", "1", "-W", "1"};
    if (size) {
        words.insert(words.end(), {"-M", "do", "-s", fmt::format("{}", *size)});
    }
    words.push_back(peer);
    return said_by(world, words).has_value();
}

// Proof, not a guess: a small packet comes back, one as large as the MTU does not.
void gather_lost_packets(World &world, Facts &facts) {
    std::set<std::string> asked;
    for (const SessionInfo &session : facts.sessions) {
        const std::string peer = session.peer.host_text();
        const NetInterface *interface = interface_of(facts, session.local.host_text());
        if (session.peer.family() != AF_INET || interface == nullptr ||
            interface->mtu <= plain_mtu || asked.size() >= most_pings ||
            !asked.insert(peer).second) {
            continue;
        }
        if (answers(world, peer, std::nullopt) && !answers(world, peer, interface->mtu - headers)) {
            facts.lost_large.push_back({peer, interface->name, interface->mtu});
        }
    }
}

void gather_deaf(World &world, Facts &facts) {
    for (DeviceFacts &each : facts.devices) {
        const RdmaDevice &device = each.device;
        const auto text = address_to_answer_at(facts.interfaces, device.netdev);
        if (device.soft != "rxe" || !text) {
            continue;
        }
        const auto own = SocketAddress::from_text(*text);
        if (own && !takes_connections(world, device.name, *own)) {
            each.deaf_at = *text;
        }
    }
}

// Throws json::exception where a value has another type.
NetInterface interface_in(const nlohmann::json &one) {
    NetInterface interface;
    interface.name = one.value("ifname", "");
    interface.mtu = one.value("mtu", 0U);
    const auto flags = one.value("flags", std::vector<std::string>());
    interface.up = std::find(flags.begin(), flags.end(), "UP") != flags.end();
    for (const auto &address : one.value("addr_info", nlohmann::json::array())) {
        LocalAddress local;
        local.ipv4 = address.value("family", "") == "inet";
        local.text = address.value("local", "");
        local.network = network_of(local.text, local.ipv4, address.value("prefixlen", 0U));
        if (address.value("scope", "") == "global" && !local.network.empty()) {
            interface.addresses.push_back(local);
        }
    }
    return interface;
}

} // namespace

std::optional<std::string> address_to_answer_at(const std::vector<NetInterface> &interfaces,
                                                const std::string &netdev) {
    const auto found = std::find_if(interfaces.begin(), interfaces.end(),
                                    [&](const NetInterface &one) { return one.name == netdev; });
    if (found == interfaces.end() || !found->up || found->addresses.empty()) {
        return std::nullopt;
    }
    return found->addresses.front().text;
}

std::vector<NetInterface> parse_ip_address(const std::string &json) {
    std::vector<NetInterface> interfaces;
    const auto told = nlohmann::json::parse(json, nullptr, false);
    if (!told.is_array()) {
        return interfaces;
    }
    for (const auto &one : told) {
        if (!one.is_object() || !one.contains("ifname")) {
            continue;
        }
        try {
            interfaces.push_back(interface_in(one));
        } catch (const nlohmann::json::exception &) {
            // A value has another type than "ip" gives it today: the interface is not known.
        }
    }
    return interfaces;
}

bool netlink_has_ibacm(std::string_view proc_net_netlink) {
    const auto lines = lines_of(proc_net_netlink);
    return std::any_of(lines.begin(), lines.end(), [](const std::string &line) {
        const auto words = words_of_line(line); // sk Eth Pid Groups ...
        return words.size() > 3 && words[1] == "20" && words[2] != "0" &&
               (std::strtoul(words[3].c_str(), nullptr, 16) & ibacm_group) != 0;
    });
}

void gather_network(World &world, Facts &facts) {
    const auto told = said_by(world, {"ip", "-json", "address"});
    if (!told) {
        facts.unseen.emplace_back("addresses of this machine: \"ip -json address\" failed");
    }
    facts.interfaces = parse_ip_address(told.value_or(""));
    for (NetInterface &each : facts.interfaces) {
        each.rp_filter = setting_of(world.files, each.name, "rp_filter");
        each.arp_ignore = setting_of(world.files, each.name, "arp_ignore");
        if (hardware_roce_on(facts, each.name)) {
            each.lossless = lossless(world, each.name);
        }
        each.tso =
            std::any_of(facts.ipoib.begin(), facts.ipoib.end(),
                        [&](const IpoibInterface &ipoib) { return ipoib.name == each.name; }) &&
            segments(world, each.name);
    }
    facts.ibacm = netlink_has_ibacm(sysfs_text(world.files, "/proc/net/netlink"));
    std::vector<RdmaDevice> soft;
    for (const DeviceFacts &each : facts.devices) {
        if (!each.device.soft.empty()) {
            soft.push_back(each.device);
        }
    }
    facts.firewall = see_firewall(world, soft);
    gather_lost_packets(world, facts);
    gather_deaf(world, facts);
}

} // namespace causeway
