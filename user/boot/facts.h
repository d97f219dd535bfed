// SPDX-License-Identifier: GPL-2.0-or-later
// What doctor knows of kernel modules of others, of limits, and of programs that use RDMA.
#pragma once

#include "doctor/facts.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace causeway {

struct BootFacts {
    std::set<std::string> loaded;   // modules of others that are asked about
    std::set<std::string> programs; // of those that fixes name
    bool secure_boot = false;
    std::string keyring; // /proc/keys

    std::map<std::string, std::string> service_memlock; // of services that register memory
    bool memlock_configured = false;
    std::uint64_t memlock = 0; // bytes, of this process; no_limit: unlimited
    bool rdma_users = false;   // the group rdma has members

    bool beegfs = false;
    bool beegfs_rdma_off = false;
    bool beegfs_library = false;
};

inline constexpr std::uint64_t no_limit = ~std::uint64_t{0};

// The line of /proc/PID/limits in bytes.
std::uint64_t parse_memlock(std::string_view limits);
// Whether a file of limits(5) raises the limit of anybody by much.
bool raises_memlock(std::string_view text);

} // namespace causeway
