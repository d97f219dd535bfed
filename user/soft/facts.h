// SPDX-License-Identifier: GPL-2.0-or-later
// What doctor knows of RDMA devices by software.
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
    // Device: the address of this machine at which its connection manager does not answer. Only
    // Soft-RoCE is asked.
    std::map<std::string, std::string> deaf_at;
};

// The device that a unit adds at boot.
std::optional<SoftUnit> parse_soft_unit(std::string_view text);

// The text of the address at which a Soft-RoCE device on a network interface has to answer; none if
// the interface is down or has no address.
std::optional<std::string> address_to_answer_at(const std::vector<NetInterface> &interfaces,
                                                const std::string &netdev);

} // namespace causeway
