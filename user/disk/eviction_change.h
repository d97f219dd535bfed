// SPDX-License-Identifier: GPL-2.0-or-later
// A host of an export as a change: evicted or readmitted.
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
    std::string typed; // as the administrator named the host
    bool evicts = true;
    // The host is evicted already, or was not evicted. The kernel is asked all the same: commands
    // of the host may be left. There is nothing to take back.
    bool already = false;
    std::optional<std::chrono::seconds> limit{}; // none: until no command of the host is left
};

ChangePointer change_eviction(Eviction eviction);

// The export's hosts.
Result<std::vector<OwnerInfo>> owners_of(World &world, const std::string &name);
std::optional<OwnerInfo> find_host(const std::vector<OwnerInfo> &owners, const Uuid &host);

} // namespace causeway
