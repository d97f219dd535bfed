// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel modules that RDMA on a machine may want, and the file that loads them at boot.
#pragma once

#include "base/places.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct KnownModule {
    std::string_view name;
    std::string_view purpose;
};

const std::vector<KnownModule> &known_rdma_modules();

// Names as modprobe and /sys/module agree on them: '-' is '_', and the two old names of rpcrdma are
// that.
std::string module_name(std::string_view typed);

// Where rdma-core loads modules by a unit of its own, for each file of /etc/rdma/modules, that is
// used; else systemd-modules-load's folder.
struct BootModules {
    std::filesystem::path file;
    bool by_rdma_core = false;
    std::filesystem::path want;   // the link that makes the unit run; rdma-core only
    std::filesystem::path target; // the unit; rdma-core only
};
BootModules boot_modules(const Places &places);

// The names in such a file: a line each, comments left out.
std::vector<std::string> parse_modules(const std::string &content);

} // namespace causeway
