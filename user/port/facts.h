// SPDX-License-Identifier: GPL-2.0-or-later
// Facts of doctor about paths on which packets are lost, about adapters without an RDMA device, and
// about firmware.
#pragma once

#include "doctor/facts.h"
#include "host/device_details.h"
#include "host/pci_adapters.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace causeway {

// A peer that replies to small IP packets, but not to packets as large as the interface's MTU.
struct LostLargePackets {
    std::string peer;
    std::string interface;
    unsigned int mtu = 0;
};

struct PathFacts {
    std::vector<LostLargePackets> lost_large;
};

struct AdapterFacts {
    std::vector<PciAdapter> without_rdma;
    FirmwareTable firmware;
    std::map<std::string, FirmwareEntry> newest; // by RDMA device
    std::set<std::string> disabled_at_boot;      // ports that "port disable" keeps so: "mlx4_0/1"
};

} // namespace causeway
