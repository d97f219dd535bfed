// SPDX-License-Identifier: GPL-2.0-or-later
// All that this machine reports of an RDMA device, and of adapters that have none.
#pragma once

#include "base/answer.h"
#include "host/device_details.h"
#include "host/pci_adapters.h"
#include "machine/world.h"

#include <optional>
#include <string>

namespace causeway {

struct DeviceReport {
    RdmaDevice device;
    DeviceDetails details;
    std::optional<FirmwareEntry> newest;
    // Both hold an error that says why the values are unknown. They are missing if the report needs
    // no program.
    std::optional<Result<ResourceCounts>> resources{};
    std::optional<Result<VerbsAttributes>> attributes{};
};

// @is_full: run the programs that know the resources and the attributes.
DeviceReport report_of(World &world, const RdmaDevice &device, const FirmwareTable &table,
                       bool is_full);

Json report_json(const DeviceReport &report);
// Returns the lines of an RDMA device. @is_long: all values; else those that most users need.
std::string report_text(const DeviceReport &report, bool is_long, const Terminal &terminal);

Json adapter_json(const PciAdapter &adapter);
// Returns one sentence about an adapter that has no RDMA device.
std::string adapter_text(const PciAdapter &adapter);
// Returns what an administrator has to do about the adapter.
std::string adapter_fix(const PciAdapter &adapter);

} // namespace causeway
