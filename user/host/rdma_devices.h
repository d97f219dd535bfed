// SPDX-License-Identifier: GPL-2.0-or-later
// The RDMA devices of this machine, from /sys/class/infiniband.
#pragma once

#include "base/result.h"
#include "machine/kernel_files.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

inline constexpr std::size_t longest_interface = 15; // IFNAMSIZ without the terminating zero

struct RdmaGid {
    unsigned int index = 0;
    std::string gid;    // as in sysfs: eight groups of four digits
    std::string type;   // "IB/RoCE v1", "RoCE v2"; empty: unknown
    std::string netdev; // empty on InfiniBand
};

struct RdmaPort {
    unsigned int number = 0;
    std::string state;      // "ACTIVE", "INIT", "DOWN"
    std::string phys_state; // "LinkUp", "Polling"
    std::string rate;       // "100 Gb/sec (4X EDR)"
    std::string link_layer; // "InfiniBand", "Ethernet"
    std::string lid;        // "0x1"; "0x0" before a subnet manager has assigned one
    std::string sm_lid;
    std::vector<RdmaGid> gids; // only entries that are set
};

struct RdmaDevice {
    std::string name;
    std::string node_type; // "CA", "RNIC"
    std::string node_guid; // "0002:c903:0010:1234"
    std::string firmware;
    std::string model; // hca_type or board_id; empty for a software device
    std::string soft;  // "rxe", "siw" or empty
    std::string netdev;
    std::vector<RdmaPort> ports;
};

// Returns the devices sorted by name. Returns an empty list if the kernel's RDMA core is not
// loaded.
std::vector<RdmaDevice> rdma_devices(KernelFiles &files);

std::optional<RdmaDevice> find_rdma_device(KernelFiles &files, const std::string &name);

// Returns the error about a name that none of the devices has.
Error no_such_rdma_device(const std::vector<RdmaDevice> &devices, const std::string &name);

// Returns a file of sysfs without trailing blanks and newlines. Returns "" if the file does not
// exist or cannot be read.
std::string sysfs_text(KernelFiles &files, const std::string &path);

} // namespace causeway
