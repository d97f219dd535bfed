// SPDX-License-Identifier: GPL-2.0-or-later
#include "soft/facts.h"

#include "doctor/gather.h"
#include "host/soft_rdma.h"

#include <algorithm>
#include <filesystem>

namespace causeway {

namespace {

void gather_units(World &world, SoftFacts &soft) {
    for (const std::filesystem::path &file : files_in(world.places.units(), ".service")) {
        if (file.filename().string().rfind("causeway-soft@", 0) == 0) {
            if (const auto unit = parse_soft_unit(text_of(file).value_or(""))) {
                soft.units.push_back(*unit);
            }
        }
    }
}

void gather_deaf(World &world, const Facts &facts, SoftFacts &soft) {
    for (const DeviceFacts &each : facts.devices) {
        const RdmaDevice &device = each.device;
        const auto text = address_to_answer_at(facts.interfaces, device.netdev);
        if (device.soft != "rxe" || !text) {
            continue;
        }
        const auto own = SocketAddress::from_text(*text);
        if (own && !takes_connections(world, device.name, *own)) {
            soft.deaf_at[device.name] = *text;
        }
    }
}

const FactSource soft_facts([](World &world, Facts &facts) {
    auto &soft = facts.of<SoftFacts>();
    gather_units(world, soft);
    gather_deaf(world, facts, soft);
});

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

std::optional<SoftUnit> parse_soft_unit(std::string_view text) {
    for (const std::string &line : lines_of(text)) {
        const auto words = words_of_line(line);
        const auto verb = std::find(words.begin(), words.end(), "soft");
        if (line.rfind("ExecStart=", 0) == 0 && words.end() - verb >= 6 && verb[1] == "add" &&
            verb[4] == "--name") {
            return SoftUnit{verb[3], verb[2], verb[5]};
        }
    }
    return std::nullopt;
}

} // namespace causeway
