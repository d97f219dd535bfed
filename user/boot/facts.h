// SPDX-License-Identifier: GPL-2.0-or-later
// Facts of doctor about kernel modules of other projects, about limits, and about programs that use
// RDMA.
#pragma once

#include "doctor/facts.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace causeway {

struct BootFacts {
    std::set<std::string> loaded;   // the loaded ones of the modules that findings need
    std::set<std::string> programs; // installed programs that fixes need
    bool secure_boot = false;
    std::string keyring; // content of /proc/keys

    // Limit of each service that registers memory.
    std::map<std::string, std::string> service_memlock;
    bool memlock_configured = false;
    std::uint64_t memlock = 0; // bytes, of this process; no_limit: unlimited
    bool rdma_users = false;   // the group rdma has members

    bool beegfs = false;
    bool beegfs_rdma_off = false;
    bool beegfs_library = false;
};

inline constexpr std::uint64_t no_limit = ~std::uint64_t{0};

// Returns true if a BeeGFS client that has this configuration file does not use RDMA. The last line
// that sets connUseRDMA decides.
bool beegfs_without_rdma(std::string_view text);
// Returns the limit in bytes from the content of /proc/PID/limits.
std::uint64_t parse_memlock(std::string_view limits);
// Returns true if a file of limits(5) sets a soft limit of at least 1 GiB for any user or group.
bool raises_memlock(std::string_view text);

} // namespace causeway
