// SPDX-License-Identifier: GPL-2.0-or-later
// The change that evicts a host from an export or readmits it.
#pragma once

#include "base/uuid.h"
#include "change/change.h"

#include <chrono>
#include <optional>
#include <string>

namespace causeway {

struct Eviction {
    std::string name; // of the export
    Uuid host;
    std::string typed;  // as the administrator named the host
    bool evicts = true; // false: readmits
    // The host already was evicted, or, for a readmission, was not. The request goes to the kernel
    // all the same, because commands of the host may still be running. Undo does nothing.
    bool already = false;
    std::optional<std::chrono::seconds> limit{}; // for running commands; none: no limit
};

ChangePointer change_eviction(Eviction eviction);

// Returns the hosts in the ledger of the export.
Result<std::vector<OwnerInfo>> owners_of(World &world, const std::string &name);
std::optional<OwnerInfo> find_host(const std::vector<OwnerInfo> &owners, const Uuid &host);

} // namespace causeway
