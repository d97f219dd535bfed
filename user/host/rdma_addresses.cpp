// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/rdma_addresses.h"

#include "base/listed_address.h"
#include "host/ipoib.h"
#include "host/rdma_devices.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>

namespace causeway {

namespace {

using IpOutput = nlohmann::json;

constexpr std::chrono::seconds ip_limit{10};

std::string json_text(const IpOutput &object, const char *key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

bool json_flag(const IpOutput &object, const char *key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() && found->get<bool>();
}

Result<IpOutput> output_of_ip(World &world, const std::vector<std::string> &words) {
    const auto end = world.processes.run(words, ip_limit);
    if (!end || !end->good()) {
        return Error{ExitCode::unavailable,
                     fmt::format("\"{}\" failed: {}", fmt::join(words, " "),
                                 end ? end->last_words() : end.error().what),
                     "the package iproute2 has ip(8)"};
    }
    IpOutput output =
        end->out.empty() ? IpOutput::array() : IpOutput::parse(end->out, nullptr, false);
    if (!output.is_array()) {
        return Error{ExitCode::unavailable,
                     fmt::format("\"{}\" printed '{}', which is no list", fmt::join(words, " "),
                                 end->out.substr(0, 40)),
                     "Causeway needs iproute2 4.18 or later"};
    }
    return output;
}

// The interfaces that the GID tables of RoCE and iWARP devices name: VLANs and bonds, too.
std::set<std::string> interfaces_of_rdma(KernelFiles &files) {
    std::set<std::string> names;
    for (const RdmaDevice &device : rdma_devices(files)) {
        names.insert(device.netdev);
        for (const RdmaPort &port : device.ports) {
            for (const RdmaGid &gid : port.gids) {
                names.insert(gid.netdev);
            }
        }
    }
    names.erase("");
    return names;
}

bool carries_ipoib(KernelFiles &files, const std::string &interface) {
    constexpr const char *arphrd_infiniband = "32";
    return sysfs_text(files, net_folder(interface) + "/type") == arphrd_infiniband;
}

// A temporary address changes within a day, and the others of these take no new connections.
bool is_lasting(const IpOutput &address) {
    return json_text(address, "scope") == "global" && !json_flag(address, "temporary") &&
           !json_flag(address, "tentative") && !json_flag(address, "dadfailed") &&
           !json_flag(address, "deprecated");
}

// A secondary address may be one that moves between machines.
int rank_of(const IpOutput &address) {
    return json_flag(address, "secondary") ? 2 : json_flag(address, "dynamic") ? 1 : 0;
}

std::optional<Prefix> network_of(const IpOutput &address) {
    const auto length = address.find("prefixlen");
    auto network = parse_prefix(json_text(address, "local"));
    if (!network || length == address.end() || !length->is_number_unsigned() ||
        length->get<std::uint64_t>() > network->length || json_text(address, "scope") == "link") {
        return std::nullopt;
    }
    network->length = length->get<std::uint8_t>();
    return *network;
}

void take_addresses(const IpOutput &from, AddressedInterface &interface) {
    const auto all = from.find("addr_info");
    if (all == from.end() || !all->is_array()) {
        return;
    }
    std::vector<std::pair<int, SocketAddress>> ranked;
    for (const IpOutput &one : *all) {
        if (!one.is_object()) {
            continue;
        }
        if (const auto network = network_of(one)) {
            interface.networks.push_back(*network);
        }
        const auto address = SocketAddress::from_text(json_text(one, "local"));
        if (address && is_lasting(one) && may_be_listed(*address)) {
            ranked.emplace_back(rank_of(one), *address);
        }
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    for (const auto &[rank, address] : ranked) {
        interface.addresses.push_back(address);
    }
}

bool is_of_network(const AddressedInterface &interface, const SocketAddress &address) {
    const auto host = parse_prefix(address.host_text());
    return host && std::any_of(interface.networks.begin(), interface.networks.end(),
                               [&](const Prefix &network) { return covers(network, *host); });
}

// Returns why the route does not lead to the address directly, or "". Unless @by_any, it has to go
// by an RDMA device.
std::string why_not_by(const IpOutput &route, const std::vector<AddressedInterface> &interfaces,
                       const SocketAddress &address, bool by_any) {
    const std::string type = json_text(route, "type");
    if (!type.empty() && type != "unicast") {
        return fmt::format("its route is of the type {}", type);
    }
    if (route.contains("gateway") || route.contains("via")) {
        return "a router leads to it; to use it, give it with --path";
    }
    const std::string device = json_text(route, "dev");
    const auto interface =
        std::find_if(interfaces.begin(), interfaces.end(),
                     [&](const AddressedInterface &each) { return each.name == device; });
    if (interface == interfaces.end() || !(interface->rdma || by_any)) {
        return by_any ? "no interface with an address leads to it" : "no RDMA device leads to it";
    }
    return is_of_network(*interface, address)
               ? ""
               : fmt::format("it is on no network of the interface {}; to use it, give it with "
                             "--path",
                             device);
}

} // namespace

Result<std::vector<AddressedInterface>> addressed_interfaces(World &world) {
    const IpOutput output = TRY(output_of_ip(world, {"ip", "-json", "address"}));
    const auto by_rdma = interfaces_of_rdma(world.files);
    std::vector<AddressedInterface> interfaces;
    for (const IpOutput &one : output) {
        const std::string name = one.is_object() ? json_text(one, "ifname") : "";
        if (name.empty()) {
            continue;
        }
        AddressedInterface interface { name };
        take_addresses(one, interface);
        interface.rdma = by_rdma.count(name) != 0 || carries_ipoib(world.files, name);
        interfaces.push_back(std::move(interface));
    }
    std::sort(interfaces.begin(), interfaces.end(),
              [](const auto &a, const auto &b) { return a.name < b.name; });
    return interfaces;
}

const AddressedInterface *owner_of(const std::vector<AddressedInterface> &interfaces,
                                   const SocketAddress &address) {
    const auto found = std::find_if(
        interfaces.begin(), interfaces.end(), [&](const AddressedInterface &interface) {
            return std::any_of(
                interface.addresses.begin(), interface.addresses.end(),
                [&](const SocketAddress &own) { return own.host_text() == address.host_text(); });
        });
    return found == interfaces.end() ? nullptr : &*found;
}

std::string why_not_direct(World &world, const std::vector<AddressedInterface> &interfaces,
                           const SocketAddress &address, bool by_any) {
    // The route to an address of this machine names the loopback.
    if (const auto *own = owner_of(interfaces, address)) {
        return own->rdma || by_any ? "" : "no RDMA device leads to it";
    }
    const auto routes = output_of_ip(world, {"ip", "-json", "route", "get", address.host_text()});
    if (!routes) {
        return fmt::format("its route cannot be read: {}", routes.error().what);
    }
    return routes->empty() || !routes->front().is_object()
               ? "this machine has no route to it"
               : why_not_by(routes->front(), interfaces, address, by_any);
}

} // namespace causeway
