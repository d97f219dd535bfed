// SPDX-License-Identifier: GPL-2.0-or-later
#include "boot/module_names.h"

#include "base/nearest.h"
#include "host/rdma_modules.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <vector>

namespace causeway {

namespace fs = std::filesystem;

namespace {

bool is_module_word(std::string_view text) {
    return !text.empty() && text.front() != '_' &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_';
           });
}

// Returns where a module that this kernel lacks may come from.
std::string package_of_module(const std::string &name) {
    if (name.rfind("causeway", 0) == 0) {
        return "build Causeway's modules for this kernel: apt install causeway-dkms, or: dnf "
               "install "
               "causeway-kmod";
    }
    if (name == "siw") {
        return "Debian's kernels have no siw: use rdma_rxe; or: dnf install kernel-modules-extra";
    }
    return "another package may have it: apt install linux-image-amd64 (Debian's cloud kernels "
           "lack "
           "modules), or: dnf install kernel-modules-extra";
}

} // namespace

Result<std::string> parse_module_name(const std::string &typed) {
    const std::string name = module_name(typed);
    if (!is_module_word(name)) {
        return Error{ExitCode::usage, fmt::format("'{}' is no name of a kernel module", typed),
                     "see those that RDMA may want: causeway modules list"};
    }
    return name;
}

Result<void> check_module_exists(World &world, const std::string &name) {
    if (world.modules.loaded(name)) {
        return {};
    }
    std::error_code failure;
    if (name == module_in_tree_rpcrdma && fs::exists(world.places.modprobe(), failure)) {
        return Error{
            ExitCode::usage,
            fmt::format("Causeway's module carries NFS over RDMA here, {} is not loaded", name),
            fmt::format("causeway modules enable {}, or: causeway nfs transport in-tree",
                        module_rpcrdma)};
    }
    auto found = TRY(world.processes.run({"modprobe", "--dry-run", "--quiet", "--", name}));
    if (found.good()) {
        return {};
    }
    std::vector<std::string> known;
    for (const KnownModule &each : known_rdma_modules()) {
        known.emplace_back(each.name);
    }
    const auto close = nearest(name, known);
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    return Error{ExitCode::unavailable, fmt::format("this kernel has no module {}", name),
                 is_known ? package_of_module(name)
                 : close  ? fmt::format("did you mean {}?", *close)
                          : "see those that RDMA may need: causeway modules list"};
}

} // namespace causeway
