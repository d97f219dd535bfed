// SPDX-License-Identifier: GPL-2.0-or-later
// Reads RDMA devices, their ports and their PCI functions from sysfs and configfs.
#include "doctor/gather.h"

#include "host/roce_default.h"

#include <cstdlib>
#include <fmt/format.h>

namespace causeway {

namespace {

std::uint64_t count_in(KernelFiles &files, const std::string &path) {
    return std::strtoull(sysfs_text(files, path).c_str(), nullptr, 10);
}

PciFunction pci_of(KernelFiles &files, const std::string &device) {
    const std::string folder = fmt::format("/sys/class/infiniband/{}/device", device);
    PciFunction pci;
    for (const std::string &line : lines_of(sysfs_text(files, folder + "/uevent"))) {
        const std::size_t equals = line.find('=');
        if (equals == std::string::npos) {
            continue;
        }
        const std::string value = line.substr(equals + 1);
        const std::string key = line.substr(0, equals);
        if (key == "DRIVER") {
            pci.driver = value;
        } else if (key == "PCI_ID") {
            pci.id = value;
        } else if (key == "PCI_SLOT_NAME") {
            pci.slot = value;
        }
    }
    pci.revision = sysfs_text(files, folder + "/revision");
    pci.speed = sysfs_text(files, folder + "/current_link_speed");
    pci.max_speed = sysfs_text(files, folder + "/max_link_speed");
    pci.width = static_cast<unsigned int>(count_in(files, folder + "/current_link_width"));
    pci.max_width = static_cast<unsigned int>(count_in(files, folder + "/max_link_width"));
    return pci;
}

PortFacts port_of(KernelFiles &files, const std::string &device, const RdmaPort &port) {
    const std::string folder =
        fmt::format("/sys/class/infiniband/{}/ports/{}", device, port.number);
    PortFacts facts;
    facts.port = port;
    for (const std::string &index : files.list(folder + "/pkeys")) {
        const std::string pkey = sysfs_text(files, folder + "/pkeys/" + index);
        if (!pkey.empty() && pkey != "0x0000") {
            facts.pkeys.push_back(pkey);
        }
    }
    facts.symbol_errors = count_in(files, folder + "/counters/symbol_error");
    facts.recoveries = count_in(files, folder + "/counters/link_error_recovery");
    // The folder exists only if a user or program made it. Reading makes none.
    facts.roce_mode = roce_mode_now(files, device, port.number);
    return facts;
}

} // namespace

void gather_devices(World &world, Facts &facts) {
    for (RdmaDevice &device : rdma_devices(world.files)) {
        DeviceFacts one;
        one.pci = pci_of(world.files, device.name);
        for (const RdmaPort &port : device.ports) {
            one.ports.push_back(port_of(world.files, device.name, port));
        }
        one.device = std::move(device);
        facts.devices.push_back(std::move(one));
    }
    facts.ipoib = ipoib_interfaces(world.files, world.processes);
}

} // namespace causeway
