// SPDX-License-Identifier: GPL-2.0-or-later
// Reads network interfaces and their settings with ip(8), ethtool(8) and dcb(8).
#include "doctor/gather.h"

#include "host/pci_details.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace causeway {

namespace {

// Returns "10.0.0.0/24" for "10.0.0.7" and 24, or "" for a text that is no address.
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

// The kernel uses the larger of "all" and the interface's own value.
unsigned int setting_of(KernelFiles &files, const std::string &interface, const std::string &key) {
    const std::string folder = "/proc/sys/net/ipv4/conf/";
    return std::max(number_in(files, folder + "all/" + key),
                    number_in(files, folder + interface + "/" + key));
}

// Returns true if the interface honours pause frames that it receives, or has priority flow control
// for any priority. Returns none if neither can be read.
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

// Throws json::exception if a value has another type.
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
            // A value has another type than in present versions of ip(8): skip the interface.
        }
    }
    return interfaces;
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
        const auto ipoib =
            std::find_if(facts.ipoib.begin(), facts.ipoib.end(),
                         [&](const IpoibInterface &one) { return one.name == each.name; });
        if (ipoib == facts.ipoib.end()) {
            continue;
        }
        // A child has no PCI function in sysfs, so its parent decides.
        const std::string &owner = ipoib->parent.empty() ? ipoib->name : ipoib->parent;
        each.tso = is_first_connectx(pci_details_at(
                       world.files, fmt::format("/sys/class/net/{}/device", owner))) &&
                   segments(world, each.name);
    }
}

} // namespace causeway
