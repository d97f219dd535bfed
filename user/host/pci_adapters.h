// SPDX-License-Identifier: GPL-2.0-or-later
// RDMA adapters on the PCI bus that have no RDMA device: their driver, or the RDMA part of it, is
// not loaded.
#pragma once

#include "host/pci_details.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct PciAdapter {
    PciDetails pci;
    // True for an adapter of InfiniBand or Omni-Path, by its PCI class: it has no other purpose
    // than RDMA. False for an Ethernet adapter, which works without an RDMA device.
    bool rdma_only = false;
    // True if the adapter certainly supports RDMA. False: its driver drives adapters with and
    // without RDMA.
    bool is_certain = false;
    // The module that is missing, by the kernel's own table; empty: this kernel has none.
    std::string module;

    bool has_driver() const { return !pci.driver.empty(); }
};

// Returns the adapters that have no RDMA device, in the order of their slots. Adapters that are
// given to virtual machines, and virtual functions without a driver, are not among them. @kernel is
// the release of the running kernel, whose modules.alias names the modules.
std::vector<PciAdapter> adapters_without_rdma(KernelFiles &files, const std::string &kernel);

// Returns the module of the first alias in the text of modules.alias that matches, or "". The
// kernel writes '-' and '_' in names of modules alike; the answer has '_'.
std::string module_for(std::string_view modules_alias, const std::string &modalias);

} // namespace causeway
