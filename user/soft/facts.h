// SPDX-License-Identifier: GPL-2.0-or-later
// Facts of doctor about RDMA devices by software.
#pragma once

#include "doctor/facts.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct SoftUnit {
    std::string netdev;
    std::string type;
    std::string name;
};

struct SoftFacts {
    std::vector<SoftUnit> units;
    // Key: device. Value: the address of this machine at which the device's connection manager does
    // not respond. Only Soft-RoCE devices are tested.
    std::map<std::string, std::string> deaf_at;
};

// Parses the text of a unit and returns the device that the unit adds at boot.
std::optional<SoftUnit> parse_soft_unit(std::string_view text);

// Returns the address at which a Soft-RoCE device on a network interface must respond, as text.
// Returns none if the interface is down or has no address.
std::optional<std::string> address_to_answer_at(const std::vector<NetInterface> &interfaces,
                                                const std::string &netdev);

} // namespace causeway
