// SPDX-License-Identifier: GPL-2.0-or-later
// Ports as users name them, and what the verbs of ports keep for the next boot.
#pragma once

#include "host/rdma_devices.h"
#include "machine/world.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct PortName {
    RdmaDevice device;
    RdmaPort port;

    std::string text() const; // "mlx4_0/1"
};

// Finds "mlx4_0/1", or "mlx4_0" if the device has only one port.
Result<PortName> find_port(World &world, const std::string &typed);

// Returns a value of the device's uevent file, which has lines such as
// "PCI_SLOT_NAME=0000:03:00.0".
std::string uevent_value(KernelFiles &files, const std::string &device, std::string_view key);

// The files by which a port gets its state or its type at boot. A unit sets the state; a rule of
// udev starts it.
struct PortFiles {
    std::filesystem::path unit;
    std::filesystem::path state_rule;
    std::filesystem::path type_rule;
};
PortFiles port_files(const World &world, const std::string &device, unsigned int port);

// The settings that are kept for the next boot, of one port. Empty: none.
struct KeptPort {
    std::string device;
    unsigned int port = 0;
    std::string state;  // "enable", "disable"
    std::string type;   // "ib", "eth", "auto"
    std::string before; // the type that the port had before "port type"

    std::string text() const { return device + "/" + std::to_string(port); }
    bool empty() const { return state.empty() && type.empty(); }
};

// Reads the files of one port. Files that Causeway did not write count as none.
KeptPort kept_port(const World &world, const std::string &device, unsigned int port);
// Returns all ports for which something is kept, also those that are not there.
std::vector<KeptPort> kept_ports_at_boot(const World &world);

// The comment of a rule that has the type before "port type".
std::string type_before_line(const std::string &type);

} // namespace causeway
