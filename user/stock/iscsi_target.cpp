// SPDX-License-Identifier: GPL-2.0-or-later
// The target of iSCSI over TCP and over RDMA (iSER): LIO
// (drivers/target/iscsi/iscsi_target_configfs.c). Each export is a target of its own, with one
// portal group and one LUN.
#include "stock/target.h"

#include <fmt/format.h>

namespace causeway {

namespace {

std::string group_of(const StockExport &settings) {
    return fmt::format("{}/iscsi/{}/tpgt_1", lio_folder, settings.target);
}

} // namespace

TargetPlan plan_iscsi_target(const StockExport &settings, const TargetPlan &store) {
    const std::string target = fmt::format("{}/iscsi/{}", lio_folder, settings.target);
    const std::string group = group_of(settings);
    const std::string portal = fmt::format("{}/np/{}", group, settings.portal.text());
    const std::string lun = group + "/lun/lun_0";
    const bool open = settings.initiators.empty();
    const char *const read_only = settings.read_only ? "1" : "0";
    TargetPlan plan{group, store.steps};
    auto &steps = plan.steps;
    steps.push_back(config_shared_folder(fmt::format("{}/iscsi", lio_folder)));
    steps.push_back(config_folder(target));
    steps.push_back(config_folder(group));
    steps.push_back(config_folder(portal));
    if (settings.via == Via::iser) {
        steps.push_back(config_value(portal + "/iser", "1"));
    }
    steps.push_back(config_folder(lun));
    steps.push_back(config_link(lun + "/causeway", store.probe));
    steps.push_back(config_value(group + "/attrib/authentication", "0"));
    steps.push_back(config_value(group + "/attrib/generate_node_acls", open ? "1" : "0"));
    steps.push_back(config_value(group + "/attrib/demo_mode_write_protect", read_only));
    for (const std::string &initiator : settings.initiators) {
        const std::string acl = fmt::format("{}/acls/{}", group, initiator);
        steps.push_back(config_folder(acl));
        steps.push_back(config_folder(acl + "/lun_0"));
        steps.push_back(config_link(acl + "/lun_0/causeway", lun));
        steps.push_back(config_value(acl + "/lun_0/write_protect", read_only));
    }
    steps.push_back(config_value(group + "/enable", "1", "0"));
    return plan;
}

} // namespace causeway
