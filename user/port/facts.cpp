// SPDX-License-Identifier: GPL-2.0-or-later
// Pings the peers of sessions over interfaces with a large MTU. Searches the PCI bus for adapters
// without an RDMA device, and reads the table of firmware.
#include "port/facts.h"

#include "disk/facts.h"
#include "doctor/gather.h"
#include "port/port_name.h"

#include <fmt/format.h>
#include <set>
#include <sys/socket.h>

namespace causeway {

namespace {

constexpr unsigned int plain_mtu = 1500;
constexpr unsigned int headers = 28; // bytes of IPv4 and ICMP
constexpr std::size_t most_pings = 4;

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

// The peer must reply to a small packet and not to one as large as the MTU. So the loss is proved,
// not guessed.
const FactSource path_facts(
    [](World &world, Facts &facts) {
        std::set<std::string> asked;
        for (const SessionInfo &session : facts.of<DiskFacts>().sessions) {
            const std::string peer = session.peer.host_text();
            const NetInterface *interface = interface_of(facts, session.local.host_text());
            if (session.peer.family() != AF_INET || interface == nullptr ||
                interface->mtu <= plain_mtu || asked.size() >= most_pings ||
                !asked.insert(peer).second) {
                continue;
            }
            if (answers(world, peer, std::nullopt) &&
                !answers(world, peer, interface->mtu - headers)) {
                facts.of<PathFacts>().lost_large.push_back({peer, interface->name, interface->mtu});
            }
        }
    },
    FactSource::Turn::last);

const FactSource adapter_facts([](World &world, Facts &facts) {
    auto &adapters = facts.of<AdapterFacts>();
    adapters.without_rdma = adapters_without_rdma(world.files, facts.kernel);
    adapters.firmware = load_firmware_table(world.places);
    for (const KeptPort &each : kept_ports_at_boot(world)) {
        if (each.state == "disable") {
            adapters.disabled_at_boot.insert(each.text());
        }
    }
    for (const DeviceFacts &each : facts.devices) {
        const auto newest = adapters.firmware.find(details_of(world.files, each.device).identity());
        if (newest) {
            adapters.newest.emplace(each.device.name, *newest);
        }
    }
});

} // namespace

} // namespace causeway
