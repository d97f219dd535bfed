// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/facts.h"
#include "firewall/sight.h"

namespace causeway {

namespace {

const FactSource firewall_facts([](World &world, Facts &facts) {
    std::vector<RdmaDevice> soft;
    for (const DeviceFacts &each : facts.devices) {
        if (!each.device.soft.empty()) {
            soft.push_back(each.device);
        }
    }
    facts.of<FirewallSight>() = see_firewall(world, soft);
});

} // namespace

} // namespace causeway
