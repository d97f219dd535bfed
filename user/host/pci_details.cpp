// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/pci_details.h"

#include "host/rdma_devices.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

namespace causeway {

namespace {

constexpr unsigned int mellanox = 0x15b3;
// mlx4_pci_table of drivers/net/ethernet/mellanox/mlx4/main.c up to ConnectX-3, without virtual
// functions.
constexpr std::array<unsigned int, 12> first_ids = {0x6340, 0x634a, 0x6354, 0x6368, 0x6372, 0x6732,
                                                    0x673c, 0x6746, 0x6750, 0x675a, 0x6764, 0x676e};
constexpr unsigned long first_revision = 0xa0;

unsigned int count_in(KernelFiles &files, const std::string &path) {
    return static_cast<unsigned int>(std::strtoul(sysfs_text(files, path).c_str(), nullptr, 10));
}

} // namespace

PciDetails pci_details_at(KernelFiles &files, const std::string &folder) {
    PciDetails pci;
    std::istringstream lines(sysfs_text(files, folder + "/uevent"));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t equals = line.find('=');
        if (equals == std::string::npos) {
            continue;
        }
        const std::string key = line.substr(0, equals);
        const std::string value = line.substr(equals + 1);
        if (key == "DRIVER") {
            pci.driver = value;
        } else if (key == "PCI_ID") {
            pci.id = value;
        } else if (key == "PCI_SLOT_NAME") {
            pci.slot = value;
        } else if (key == "MODALIAS") {
            pci.modalias = value;
        } else if (key == "PCI_CLASS") {
            pci.kind =
                static_cast<unsigned int>(std::strtoul(value.c_str(), nullptr, 16) >> 8U & 0xffffU);
        }
    }
    if (pci.id.empty()) {
        const auto digits = [&](const char *file) {
            const std::string text = sysfs_text(files, fmt::format("{}/{}", folder, file));
            return text.compare(0, 2, "0x") == 0 ? text.substr(2) : "";
        };
        const std::string vendor = digits("vendor");
        pci.id = vendor.empty() ? "" : fmt::format("{}:{}", vendor, digits("device"));
    }
    pci.revision = sysfs_text(files, folder + "/revision");
    pci.speed = sysfs_text(files, folder + "/current_link_speed");
    pci.max_speed = sysfs_text(files, folder + "/max_link_speed");
    pci.width = count_in(files, folder + "/current_link_width");
    pci.max_width = count_in(files, folder + "/max_link_width");
    const std::string node = sysfs_text(files, folder + "/numa_node");
    // The kernel writes -1 if it does not know the node.
    if (!node.empty() && node.find_first_not_of("0123456789") == std::string::npos) {
        pci.node = static_cast<int>(count_in(files, folder + "/numa_node"));
    }
    return pci;
}

PciDetails pci_details_of(KernelFiles &files, const std::string &device) {
    return pci_details_at(files, fmt::format("/sys/class/infiniband/{}/device", device));
}

std::vector<std::string> interfaces_of_adapter(KernelFiles &files, const std::string &device) {
    return files.list(fmt::format("/sys/class/infiniband/{}/device/net", device));
}

bool is_first_connectx(const PciDetails &pci) {
    const std::size_t colon = pci.id.find(':');
    if (colon == std::string::npos) {
        return false;
    }
    const auto number = [](const std::string &text) {
        return std::strtoul(text.c_str(), nullptr, 16);
    };
    return number(pci.id.substr(0, colon)) == mellanox &&
           std::find(first_ids.begin(), first_ids.end(), number(pci.id.substr(colon + 1))) !=
               first_ids.end() &&
           number(pci.revision) == first_revision;
}

std::string first_connectx_ids() {
    return fmt::format("0x{:04x}", fmt::join(first_ids, "|0x"));
}

} // namespace causeway
