// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/pci_adapters.h"

#include "host/rdma_devices.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fnmatch.h>
#include <optional>
#include <set>

namespace causeway {

namespace {

constexpr const char *bus = "/sys/bus/pci/devices";

// PCI classes: 0x0207 is InfiniBand, 0x0c06 is InfiniBand as a serial bus (ConnectX and before).
// Omni-Path has the class 0x0208, fabric controller, which other fabrics have too.
constexpr unsigned int class_ethernet = 0x0200;
constexpr unsigned int class_infiniband = 0x0207;
constexpr unsigned int class_fabric = 0x0208;
constexpr unsigned int class_infiniband_bus = 0x0c06;

// Ethernet drivers whose RDMA part is a module that no alias of the kernel names. Not every adapter
// of these drivers supports RDMA.
struct RdmaPart {
    std::string_view driver;
    std::string_view module;
};
constexpr std::array rdma_parts = {
    RdmaPart{"mlx4_core", "mlx4_ib"}, RdmaPart{"cxgb4", "iw_cxgb4"}, RdmaPart{"bnxt_en", "bnxt_re"},
    RdmaPart{"qede", "qedr"},         RdmaPart{"be2net", "ocrdma"},
};
// Drivers of Ethernet adapters that support RDMA in every model or in most of them.
constexpr std::array<std::string_view, 2> rdma_drivers = {"mlx4_core", "mlx5_core"};

std::string part_of(const std::string &driver) {
    const auto *found = std::find_if(rdma_parts.begin(), rdma_parts.end(),
                                     [&](const RdmaPart &part) { return part.driver == driver; });
    return found == rdma_parts.end() ? "" : std::string(found->module);
}

// The table of modules is large. It is read only if an adapter lacks a module.
class AliasTable {
  public:
    AliasTable(KernelFiles &files, const std::string &kernel)
        : files_(files), place_(fmt::format("/lib/modules/{}/modules.alias", kernel)) {}

    std::string module(const std::string &modalias) {
        if (!text_) {
            text_ = text_of(files_, place_);
        }
        return module_for(*text_, modalias);
    }

  private:
    KernelFiles &files_;
    std::string place_;
    std::optional<std::string> text_;
};

// Returns the name of the auxiliary device for RDMA that a driver has made of this function,
// without its number: "mlx5_core.rdma", "ice.roce", "i40e.iwarp". Returns "" if the driver made
// none.
std::string rdma_child(KernelFiles &files, const std::string &folder) {
    for (const std::string &name : files.list(folder)) {
        std::string start = name.substr(0, name.rfind('.'));
        const std::size_t dot = start.find('.');
        const std::string part = dot == std::string::npos ? "" : start.substr(dot + 1);
        if (part == "rdma" || part == "roce" || part == "iwarp") {
            return start;
        }
    }
    return {};
}

bool serves_a_guest(const PciDetails &pci) {
    return pci.driver == "vfio-pci" || pci.driver == "pci-stub" || pci.driver == "xen-pciback";
}

// Returns none if the function is no RDMA adapter, as far as the kernel's files show it.
std::optional<PciAdapter> adapter_at(KernelFiles &files, const std::string &folder,
                                     AliasTable &aliases) {
    PciAdapter adapter;
    adapter.pci = pci_details_at(files, folder);
    const PciDetails &pci = adapter.pci;
    const bool intel = pci.id.compare(0, 5, "8086:") == 0;
    adapter.rdma_only = pci.kind == class_infiniband || pci.kind == class_infiniband_bus ||
                        (pci.kind == class_fabric && intel);
    if ((!adapter.rdma_only && pci.kind != class_ethernet) || serves_a_guest(pci)) {
        return std::nullopt;
    }
    if (!adapter.has_driver()) {
        // Virtual functions without a driver wait for a virtual machine.
        if (files.has_folder(folder + "/physfn")) {
            return std::nullopt;
        }
        adapter.module = aliases.module(pci.modalias);
        adapter.is_certain = adapter.rdma_only;
        const bool known = std::find(rdma_drivers.begin(), rdma_drivers.end(), adapter.module) !=
                           rdma_drivers.end();
        return adapter.rdma_only || known ? std::optional(adapter) : std::nullopt;
    }
    const std::string child = rdma_child(files, folder);
    adapter.is_certain = adapter.rdma_only || !child.empty();
    // A kernel without the auxiliary bus (before 5.11) shows no child.
    adapter.module = !child.empty() ? aliases.module(fmt::format("auxiliary:{}", child))
                     : adapter.rdma_only && pci.driver == "mlx5_core" ? "mlx5_ib"
                                                                      : part_of(pci.driver);
    return adapter.is_certain || !adapter.module.empty() ? std::optional(adapter) : std::nullopt;
}

} // namespace

std::string module_for(std::string_view modules_alias, const std::string &modalias) {
    constexpr std::string_view start = "alias ";
    while (!modules_alias.empty() && !modalias.empty()) {
        const std::size_t end = modules_alias.find('\n');
        std::string_view line = modules_alias.substr(0, end);
        modules_alias.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
        if (line.substr(0, start.size()) != start) {
            continue;
        }
        line.remove_prefix(start.size());
        const std::size_t space = line.rfind(' ');
        // Most lines differ in the bus.
        if (space == std::string_view::npos || line.front() != modalias.front()) {
            continue;
        }
        if (::fnmatch(std::string(line.substr(0, space)).c_str(), modalias.c_str(), 0) == 0) {
            std::string module(line.substr(space + 1));
            std::replace(module.begin(), module.end(), '-', '_');
            return module;
        }
    }
    return {};
}

std::vector<PciAdapter> adapters_without_rdma(KernelFiles &files, const std::string &kernel) {
    std::set<std::string> served;
    for (const std::string &device : files.list("/sys/class/infiniband")) {
        served.insert(pci_details_of(files, device).slot);
    }
    std::vector<PciAdapter> adapters;
    AliasTable aliases(files, kernel);
    for (const std::string &slot : files.list(bus)) {
        const std::string folder = fmt::format("{}/{}", bus, slot);
        if (served.count(slot) != 0 || !files.list(folder + "/infiniband").empty()) {
            continue;
        }
        if (auto adapter = adapter_at(files, folder, aliases)) {
            adapter->pci.slot = slot;
            adapters.push_back(*std::move(adapter));
        }
    }
    return adapters;
}

} // namespace causeway
