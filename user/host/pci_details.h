// SPDX-License-Identifier: GPL-2.0-or-later
// Properties of a PCI function, from sysfs.
#pragma once

#include "machine/kernel_files.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

// Empty for a software device, which has no PCI function.
struct PciDetails {
    std::string slot;     // "0000:03:00.0"
    std::string driver;   // "mlx5_core"; empty: no driver
    std::string id;       // "15B3:1017"
    std::string revision; // "0xa0"
    std::string speed;    // "8.0 GT/s PCIe"
    std::string max_speed;
    unsigned int width = 0; // lanes
    unsigned int max_width = 0;
    std::string modalias;
    unsigned int kind = 0;   // the PCI class without the programming interface: 0x0207
    std::optional<int> node; // NUMA node; none: the machine has only one, or does not report it
};

// Reads a folder such as /sys/class/infiniband/mlx5_0/device.
PciDetails pci_details_at(KernelFiles &files, const std::string &folder);

// Returns the PCI function of an RDMA device.
PciDetails pci_details_of(KernelFiles &files, const std::string &device);

// Returns the network interfaces of that PCI function: of all ports of the RDMA device.
std::vector<std::string> interfaces_of_adapter(KernelFiles &files, const std::string &device);

// Returns true for the first generation of ConnectX: the adapters that the mlx4 driver names before
// ConnectX-3, in revision a0. Revision b0 of the same PCI IDs is ConnectX-2. IPoIB of the first
// generation sends TCP segments with wrong checksums if the adapter makes the segments.
bool is_first_connectx(const PciDetails &pci);

// Returns the PCI IDs of devices that is_first_connectx() accepts in the form of a udev rule:
// "0x6340|0x634a".
std::string first_connectx_ids();

} // namespace causeway
