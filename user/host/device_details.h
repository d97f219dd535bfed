// SPDX-License-Identifier: GPL-2.0-or-later
// The values of an RDMA device that only a full report and the table of firmware need: from sysfs,
// from rdma(8), which reads netlink, and from ibv_devinfo(1), which asks the device's driver.
#pragma once

#include "host/firmware_table.h"
#include "host/pci_details.h"
#include "host/rdma_devices.h"
#include "machine/processes.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct PortDetails {
    unsigned int number = 0;
    std::string guid;         // of InfiniBand: the lower half of GID 0; else empty
    std::string lmc;          // number of low bits of the LID that the port ignores
    std::string capabilities; // the capability mask: "0x2651e848"
};

struct DeviceDetails {
    std::string system_image_guid;
    std::string hardware; // the hardware version in hexadecimal digits
    std::string type;     // "MT4119"
    std::string psid;     // board_id: "MT_0000000008"
    PciDetails pci;
    std::vector<PortDetails> ports; // in the order of the device's ports

    AdapterIdentity identity() const { return {psid, type, pci.id, pci.revision}; }
};

DeviceDetails details_of(KernelFiles &files, const RdmaDevice &device);

// Returns "InfiniBand", "RoCE", "iWARP", or "InfiniBand and RoCE" if the ports differ.
std::string transport_of(const RdmaDevice &device);

// How many objects of each kind programs and modules have on a device: "qp", "cq", "mr", "cm_id".
using ResourceCounts = std::map<std::string, std::uint64_t>;
Result<ResourceCounts> resources_of(Processes &processes, const std::string &device);

struct PortMtu {
    unsigned int number = 0;
    unsigned int most = 0; // bytes of data in a packet; 0: unknown
    unsigned int active = 0;
};

// The attributes that a device reports to programs.
struct VerbsAttributes {
    std::string vendor; // the vendor's IEEE OUI: "0x02c9"
    std::string part;   // the vendor's number of the model: "4119"
    std::vector<PortMtu> ports;
};
Result<VerbsAttributes> verbs_attributes_of(Processes &processes, const std::string &device);

// Pure parsers of the output of "rdma -j resource show DEVICE" and of "ibv_devinfo -d DEVICE".
// Both return an empty value for a text that has none of the values.
ResourceCounts parse_resources(const std::string &json, const std::string &device);
VerbsAttributes parse_ibv_devinfo(std::string_view text);

} // namespace causeway
