// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel modules that RDMA may need, and the file that loads them at boot.
#pragma once

#include "base/places.h"
#include "machine/kernel_files.h"

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

// Returns the name that both modprobe and /sys/module use: '_' instead of '-', and rpcrdma instead
// of its two old names.
std::string module_name(std::string_view typed);

// The file that lists modules to load at boot. If rdma-core has its unit that loads a file of
// /etc/rdma/modules, the file is there; else it is in the folder of systemd-modules-load.
struct BootModules {
    std::filesystem::path file;
    bool by_rdma_core = false;
    std::filesystem::path want;   // the link that enables the unit; rdma-core only
    std::filesystem::path target; // the unit itself; rdma-core only
};
BootModules boot_modules(const Places &places);

// Returns a network interface that is up and that would disappear with the module, or "": an
// interface holds no reference to its module, so the kernel unloads the module nevertheless.
std::string up_interface_of_module(KernelFiles &files, const std::string &module);

// Returns the names in such a file: one on each line, without comments.
std::vector<std::string> parse_modules(const std::string &content);

} // namespace causeway
