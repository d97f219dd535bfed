// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about IP over InfiniBand.
#include "doctor/finding.h"
#include "ipoib/facts.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr unsigned int connected_mtu = 65520;
constexpr unsigned int datagram_mtu = 2044; // 2048 bytes of InfiniBand minus the header of RFC 4391
constexpr std::size_t prefix_start = 4 * 3; // offset in the address as text
constexpr std::size_t prefix_text = 8 * 3;

// Returns P_Key and subnet prefix. Interfaces with the same P_Key and prefix are on one IPoIB link.
std::string link_of(const IpoibInterface &interface) {
    return interface.pkey + " " +
           (interface.address.size() == ipoib_address_text
                ? interface.address.substr(prefix_start, prefix_text)
                : "");
}

std::vector<Sighting> mixed(const Facts &facts) {
    std::vector<Sighting> seen;
    for (std::size_t i = 0; i < facts.ipoib.size(); i++) {
        for (std::size_t j = i + 1; j < facts.ipoib.size(); j++) {
            const IpoibInterface &one = facts.ipoib[i];
            const IpoibInterface &other = facts.ipoib[j];
            const bool differ = one.mode != other.mode || one.mtu != other.mtu;
            if (link_of(one) != link_of(other) || !differ || one.mode.empty() ||
                other.mode.empty()) {
                continue;
            }
            seen.push_back(
                {one.name,
                 fmt::format("{} ({}, MTU {}) and {} ({}, MTU {}) are in one subnet", one.name,
                             one.mode, one.mtu, other.name, other.mode, other.mtu),
                 fmt::format("causeway ipoib set {} --mode {} --mtu {}", other.name, one.mode,
                             one.mtu)});
        }
    }
    return seen;
}

std::vector<Sighting> small_mtu(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const IpoibInterface &each : facts.ipoib) {
        const unsigned int wanted = each.mode == "connected" ? connected_mtu : datagram_mtu;
        if (each.mode.empty() || each.mtu >= wanted) {
            continue;
        }
        const std::string mtu = fmt::format("{}", wanted);
        seen.push_back(
            {each.name,
             fmt::format("{} has an MTU of {} in {} mode", each.name, each.mtu, each.mode),
             fmt::format("causeway ipoib set {} --mtu {}, on all machines of the subnet", each.name,
                         mtu)});
    }
    return seen;
}

std::vector<Sighting> large_mtu(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const IpoibInterface &each : facts.ipoib) {
        if (each.mode == "datagram" && each.mtu > datagram_mtu) {
            seen.push_back(
                {each.name, fmt::format("{} sends datagrams of {} bytes", each.name, each.mtu),
                 fmt::format("causeway ipoib set {} --mtu {}", each.name, datagram_mtu)});
        }
    }
    return seen;
}

std::string datagram_everywhere(const std::string &interface) {
    return fmt::format("on all hosts of the subnet: causeway ipoib set {} --mode datagram --mtu {}",
                       interface, datagram_mtu);
}

std::vector<Sighting> smaller_peers(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const SmallerPeer &each : facts.of<IpoibFacts>().smaller_peers) {
        seen.push_back({each.peer,
                        fmt::format("{} gets no packet as large as the MTU of {} ({} bytes, {} "
                                    "mode)",
                                    each.peer, each.interface, each.mtu,
                                    each.mode.empty() ? "unknown" : each.mode),
                        datagram_everywhere(each.interface)});
    }
    return seen;
}

// Connected mode works only if every host of the subnet has it. It is suspected where a share of
// the packets was lost: each host that goes down costs a few.
std::vector<Sighting> connected_trouble(const Facts &facts) {
    constexpr std::uint64_t packets_per_error = 1000;
    const auto &ipoib = facts.of<IpoibFacts>();
    const auto count_of = [](const std::map<std::string, std::uint64_t> &counts,
                             const std::string &interface) {
        const auto found = counts.find(interface);
        return found == counts.end() ? std::uint64_t{0} : found->second;
    };
    std::vector<Sighting> seen;
    for (const IpoibInterface &each : facts.ipoib) {
        if (each.mode != "connected") {
            continue;
        }
        const auto lost =
            std::count_if(ipoib.smaller_peers.begin(), ipoib.smaller_peers.end(),
                          [&](const SmallerPeer &peer) { return peer.interface == each.name; });
        const std::uint64_t errors = count_of(ipoib.errors, each.name);
        const std::uint64_t packets = count_of(ipoib.packets, each.name);
        if (lost != 0 || errors > packets / packets_per_error) {
            seen.push_back(
                {each.name,
                 fmt::format(
                     "{} is in connected mode, has counted {} errors and {} packets, and {} "
                     "neighbours get no large packets from it",
                     each.name, errors, packets, lost),
                 datagram_everywhere(each.name)});
        }
    }
    return seen;
}

std::vector<Sighting> cannot_connect(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const IpoibInterface &each : facts.ipoib) {
        const auto found = facts.of<IpoibFacts>().connected_config.find(each.name);
        if (!each.can_connect && found != facts.of<IpoibFacts>().connected_config.end()) {
            seen.push_back({each.name,
                            fmt::format("{} asks connected mode of {}, which cannot do it",
                                        found->second, each.name),
                            fmt::format("say datagram in {}", found->second)});
        }
    }
    return seen;
}

std::vector<Sighting> name_rule(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const std::string &file : facts.of<IpoibFacts>().full_address_rules) {
        seen.push_back({file,
                        fmt::format("{} names an interface by all 20 bytes of its address", file),
                        fmt::format("rm {}; causeway name set OLD NEW", file)});
    }
    return seen;
}

// The first generation of ConnectX sends TCP segments with wrong checksums.
std::vector<Sighting> segmentation(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const NetInterface &each : facts.interfaces) {
        if (each.tso) {
            seen.push_back(
                {each.name,
                 fmt::format("{} leaves segmentation to a ConnectX of revision a0", each.name),
                 "causeway fix tso",
                 {"fix", "tso"}});
        }
    }
    return seen;
}

// Returns the number of a P_Key without the bit of full membership.
unsigned long partition_of(const std::string &pkey) {
    return std::strtoul(pkey.c_str(), nullptr, 16) & 0x7fffU;
}

std::vector<Sighting> missing_pkey(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const IpoibInterface &each : facts.ipoib) {
        bool known = each.pkey.empty();
        for (const DeviceFacts &device : facts.devices) {
            for (const PortFacts &port : device.ports) {
                known |=
                    std::any_of(port.pkeys.begin(), port.pkeys.end(), [&](const std::string &pkey) {
                        return partition_of(pkey) == partition_of(each.pkey);
                    });
            }
        }
        if (!known) {
            seen.push_back(
                {each.name,
                 fmt::format("no port is a member of partition {}, which {} uses", each.pkey,
                             each.name),
                 fmt::format("where the subnet manager runs: causeway sm partition list; "
                             "then: causeway sm partition set {0} --member with all "
                             "members and this port, or, if there is no such "
                             "partition: causeway sm partition add {0}",
                             each.pkey)});
        }
    }
    return seen;
}

const FindingRows ipoib_findings("ipoib", [] {
    return std::vector<Finding>{
        {"ipoib-mixed-modes", Severity::warning,
         "interfaces of one IP over InfiniBand subnet differ in mode or MTU",
         "A packet that one sends is too large for the other: small ones pass, large transfers "
         "hang.",
         "causeway ipoib set INTERFACE --mode MODE --mtu BYTES", mixed},
        {"ipoib-mtu-small", Severity::notice, "an MTU is smaller than its mode allows",
         "More packets for the same data. All machines of a subnet have to agree on it.",
         "causeway ipoib set INTERFACE --mtu BYTES", small_mtu},
        {"ipoib-mtu-above-switch", Severity::notice,
         "datagrams are larger than old switches pass on",
         "Above 2044 bytes each switch on the way and the multicast group must have an MTU of "
         "4096; old ones stop near 3 KiB, and drop without a word.",
         "causeway ipoib set INTERFACE --mtu 2044", large_mtu},
        {"ipoib-peer-mtu", Severity::error,
         "a host of an IP over InfiniBand subnet gets no packets as large as the MTU",
         "The hosts of the subnet differ in mode or MTU, or the multicast group of the subnet has "
         "a "
         "smaller one: small packets pass, large transfers hang.",
         "causeway ipoib set INTERFACE --mode MODE --mtu BYTES, the same on all hosts",
         smaller_peers},
        {"ipoib-connected-trouble", Severity::warning,
         "an interface in connected mode loses packets",
         "Connected mode needs a connection to each host, and all hosts must have it. Datagram "
         "mode "
         "has neither condition, and adapters since ConnectX-4 know only that one.",
         "on all hosts: causeway ipoib set INTERFACE --mode datagram --mtu 2044",
         connected_trouble},
        {"ipoib-cannot-connect", Severity::error,
         "connected mode is configured for a device that cannot do it",
         "ConnectX-4 and later have enhanced IPoIB, in datagram mode only (the first byte of the "
         "address has no 0x80). NetworkManager then fails to bring the interface up.",
         "say datagram in the file", cannot_connect},
        {"ipoib-name-by-queue-pair", Severity::warning,
         "a rule of udev names an interface by all 20 bytes of its address",
         "The first 12 hold the queue pair and the subnet prefix, which change; only the last 8, "
         "the port GUID, stay.",
         "causeway name set OLD NEW", name_rule},
        {"ipoib-segmentation-a0", Severity::error,
         "segmentation is left to a ConnectX of revision a0",
         "The first generation of ConnectX (PCI revision a0, such as MT25418) makes wrong packets "
         "of large segments: connections stall.",
         "causeway fix tso", segmentation},
        {"ipoib-partition-missing", Severity::error,
         "an interface uses a partition in which no port is a member",
         "The subnet manager gives partitions to ports; an interface of another stays without "
         "link.",
         "causeway sm partition set P_KEY --member GUID...", missing_pkey},
    };
});

} // namespace

} // namespace causeway
