// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/rdma_modules.h"

#include <algorithm>
#include <sstream>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

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
