// SPDX-License-Identifier: GPL-2.0-or-later
// The target of SRP: ib_srpt (drivers/infiniband/ulp/srpt/ib_srpt.c). It listens by rdma_cm, which
// works on InfiniBand and RoCE alike. A port has one target, whose one portal group has the name of
// the port. All exports are LUNs of it, and each ACL shows one of them.
#include "stock/target.h"

#include "host/rdma_devices.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr const char *service_parameter = "/sys/module/ib_srpt/parameters/srpt_service_guid";

unsigned int free_lun(KernelFiles &files, const std::string &group) {
    const auto luns = files.list(group + "/lun");
    unsigned int number = 0;
    while (std::find(luns.begin(), luns.end(), fmt::format("lun_{}", number)) != luns.end()) {
        number++;
    }
    return number;
}

} // namespace

std::string srp_extension(const std::string &name) {
    // The hash is FNV-1a of 64 bits.
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : name) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    return fmt::format("{:016x}", hash);
}

std::string srp_service(KernelFiles &files) {
    const std::string digits = sysfs_text(files, service_parameter);
    return digits.empty() ? "" : fmt::format("0x{:0>16}", digits.substr(digits.rfind('x') + 1));
}

TargetPlan plan_srp_target(KernelFiles &files, const StockExport &settings,
                           const TargetPlan &store) {
    const std::string fabric = fmt::format("{}/srpt", lio_folder);
    const std::string port = fmt::format("{}/{}", fabric, settings.target);
    const std::string group = fmt::format("{}/{}", port, settings.target);
    const std::string lun = fmt::format("{}/lun/lun_{}", group, free_lun(files, group));
    const std::string extension = srp_extension(settings.name);
    TargetPlan plan{lun, store.steps};
    auto &steps = plan.steps;
    steps.push_back(config_shared_folder(fabric));
    // Writing a new port would close the listener of initiators that use the present port.
    const std::string listening = fabric + "/discovery_auth/rdma_cm_port";
    const std::string set = sysfs_text(files, listening);
    if (set.empty() || set == "0") {
        steps.push_back(config_value(listening, fmt::format("{}", settings.portal.port())));
    }
    steps.push_back(config_shared_folder(port));
    steps.push_back(config_shared_folder(group));
    steps.push_back(config_folder(lun));
    steps.push_back(config_link(lun + "/causeway", store.probe));
    for (const std::string &initiator : settings.initiators) {
        const std::string acl =
            fmt::format("{}/acls/0x{}{}", group, extension, initiator.substr(2));
        steps.push_back(config_folder(acl));
        steps.push_back(config_folder(acl + "/lun_0"));
        steps.push_back(config_link(acl + "/lun_0/causeway", lun));
        steps.push_back(config_value(acl + "/lun_0/write_protect", settings.read_only ? "1" : "0"));
    }
    steps.push_back(config_value(group + "/enable", "1"));
    return plan;
}

} // namespace causeway
