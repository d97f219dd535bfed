// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/rdma_modules.h"

#include "host/pci_details.h"
#include "host/rdma_devices.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

// Returns the driver of the PCI function of an interface. A P_Key child has that of its parent.
std::string driver_of(KernelFiles &files, const std::string &folder) {
    const std::string driver = pci_details_at(files, folder + "/device").driver;
    const std::string parent = sysfs_text(files, folder + "/parent");
    return !driver.empty() || parent.empty()
               ? driver
               : pci_details_at(files, "/sys/class/net/" + parent + "/device").driver;
}

// Returns true if the interface goes with the module: it is made by the module, by a driver of
// which the module is a part, or on an RDMA device of the module.
bool is_carried_by(KernelFiles &files, const std::string &folder, const std::string &module) {
    const bool is_ipoib = sysfs_text(files, folder + "/type") == "32"; // ARPHRD_INFINIBAND
    if (module == "ib_ipoib") {
        return is_ipoib;
    }
    const std::string driver = driver_of(files, folder);
    if (driver == module) {
        return true;
    }
    const std::size_t end = module.rfind('_');
    const std::string part = end == std::string::npos ? "" : module.substr(end);
    const bool same_driver = !driver.empty() && driver == module.substr(0, end) + "_core";
    return same_driver && ((part == "_ib" && is_ipoib) || (part == "_en" && !is_ipoib));
}

} // namespace

const std::vector<KnownModule> &known_rdma_modules() {
    static const std::vector<KnownModule> modules = {
        {"causeway_disk", "Causeway's disks, as a client"},
        {"causeway_target", "Causeway's disks, as a server"},
        {"causeway_rpcrdma", "NFS over RDMA by Causeway"},
        {"ib_uverbs", "verbs for programs"},
        {"rdma_ucm", "connections for programs (librdmacm)"},
        {"ib_umad", "management datagrams: opensm, ibstat"},
        {"ib_ipoib", "IP over InfiniBand"},
        {"ib_iser", "iSCSI over RDMA, as a client"},
        {"ib_isert", "iSCSI over RDMA, as a server"},
        {"ib_srp", "SCSI RDMA protocol, as a client"},
        {"ib_srpt", "SCSI RDMA protocol, as a server"},
        {"nvme_rdma", "NVMe over RDMA, as a client"},
        {"nvmet_rdma", "NVMe over RDMA, as a server"},
        {"rpcrdma", "NFS over RDMA by the kernel"},
        {"rds_rdma", "reliable datagram sockets over RDMA"},
        {"mlx4_ib", "verbs of ConnectX-2 and -3"},
        {"mlx5_ib", "verbs of ConnectX-4 and later"},
        {"rdma_rxe", "Soft-RoCE: RDMA by any network device"},
        {"siw", "Soft-iWARP: RDMA by any network device"},
    };
    return modules;
}

std::string module_name(std::string_view typed) {
    std::string name(typed);
    std::replace(name.begin(), name.end(), '-', '_');
    return name == "xprtrdma" || name == "svcrdma" ? "rpcrdma" : name;
}

BootModules boot_modules(const Places &places) {
    std::error_code failure;
    const fs::path unit = places.vendor_units() / "rdma-load-modules@.service";
    if (!fs::exists(unit, failure)) {
        return {places.modules_load(), false, {}, {}};
    }
    return {places.rdma_modules(), true,
            places.units() / "sysinit.target.wants/rdma-load-modules@causeway.service",
            "/lib/systemd/system/rdma-load-modules@.service"};
}

std::string up_interface_of_module(KernelFiles &files, const std::string &module) {
    constexpr unsigned long up_flag = 1; // IFF_UP
    for (const std::string &name : files.list("/sys/class/net")) {
        const std::string folder = "/sys/class/net/" + name;
        const bool up = (std::strtoul(sysfs_text(files, folder + "/flags").c_str(), nullptr, 16) &
                         up_flag) != 0;
        if (up && is_carried_by(files, folder, module)) {
            return name;
        }
    }
    return {};
}

std::vector<std::string> parse_modules(const std::string &content) {
    std::vector<std::string> names;
    std::istringstream stream(content);
    for (std::string line; std::getline(stream, line);) {
        const std::size_t start = line.find_first_not_of(" \t");
        if (start == std::string::npos || line[start] == '#' || line[start] == ';') {
            continue;
        }
        names.push_back(line.substr(start, line.find_last_not_of(" \t") - start + 1));
    }
    return names;
}

} // namespace causeway
