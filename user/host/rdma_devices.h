// SPDX-License-Identifier: GPL-2.0-or-later
// The RDMA devices of this machine as /sys/class/infiniband shows them.
#pragma once

#include "machine/kernel_files.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

inline constexpr std::size_t longest_interface = 15; // IFNAMSIZ without the zero at its end

struct RdmaGid {
    unsigned int index = 0;
    std::string gid;    // as the kernel writes it: eight groups of four digits
    std::string type;   // "IB/RoCE v1", "RoCE v2"; empty where the kernel does not say
    std::string netdev; // empty on InfiniBand
};

struct RdmaPort {
    unsigned int number = 0;
    std::string state;      // "ACTIVE", "INIT", "DOWN"
    std::string phys_state; // "LinkUp", "Polling"
    std::string rate;       // "100 Gb/sec (4X EDR)"
    std::string link_layer; // "InfiniBand", "Ethernet"
    std::string lid;        // "0x1"; "0x0" before a subnet manager has given one
    std::string sm_lid;
    std::vector<RdmaGid> gids; // those that are set
};

struct RdmaDevice {
    std::string name;
    std::string node_type; // "CA", "RNIC"
    std::string node_guid; // "0002:c903:0010:1234"
    std::string firmware;
    std::string model; // hca_type or board_id; empty for software
    std::string soft;  // "rxe", "siw" or empty
    std::string netdev;
    std::vector<RdmaPort> ports;
};

// Sorted by name; none where the kernel's RDMA core is not loaded.
std::vector<RdmaDevice> rdma_devices(KernelFiles &files);

std::optional<RdmaDevice> find_rdma_device(KernelFiles &files, const std::string &name);

// A file of sysfs without the newline at its end; empty where it is not there or cannot be read.
std::string sysfs_text(KernelFiles &files, const std::string &path);

} // namespace causeway
