// SPDX-License-Identifier: GPL-2.0-or-later
// The functions behind the verbs; verbs/table*.cpp say which is whose.
#pragma once

#include "base/answer.h"
#include "base/result.h"
#include "command/arguments.h"
#include "machine/world.h"

namespace causeway {

Result<Answer> run_export_add(World &world, const Arguments &arguments);
Result<Answer> run_export_remove(World &world, const Arguments &arguments);
Result<Answer> run_export_evict(World &world, const Arguments &arguments);
Result<Answer> run_export_readmit(World &world, const Arguments &arguments);
Result<Answer> run_export_list(World &world, const Arguments &arguments);
Result<Answer> run_discover(World &world, const Arguments &arguments);
Result<Answer> run_attach(World &world, const Arguments &arguments);
Result<Answer> run_detach(World &world, const Arguments &arguments);
Result<Answer> run_stop_stock_export(World &world, const Arguments &arguments);
Result<Answer> run_stop_stock_disk(World &world, const Arguments &arguments);
Result<Answer> run_detach_running(World &world, const Arguments &arguments);
Result<Answer> run_list(World &world, const Arguments &arguments);
Result<Answer> run_net(World &world, const Arguments &arguments);
Result<Answer> run_stat(World &world, const Arguments &arguments);
Result<Answer> run_watch(World &world, const Arguments &arguments);
Result<Answer> run_acknowledge(World &world, const Arguments &arguments);
Result<Answer> run_restore(World &world, const Arguments &arguments);
Result<Answer> run_stop(World &world, const Arguments &arguments);
Result<Answer> run_nfs_serve(World &world, const Arguments &arguments);
Result<Answer> run_nfs_unserve(World &world, const Arguments &arguments);
Result<Answer> run_nfs_mount(World &world, const Arguments &arguments);
Result<Answer> run_nfs_umount(World &world, const Arguments &arguments);
Result<Answer> run_nfs_remount(World &world, const Arguments &arguments);
Result<Answer> run_nfs_transport(World &world, const Arguments &arguments);
Result<Answer> run_nfs_rule_add(World &world, const Arguments &arguments);
Result<Answer> run_nfs_rule_remove(World &world, const Arguments &arguments);
Result<Answer> run_nfs_rule_list(World &world, const Arguments &arguments);
Result<Answer> run_show(World &world, const Arguments &arguments);
Result<Answer> run_soft_add(World &world, const Arguments &arguments);
Result<Answer> run_soft_remove(World &world, const Arguments &arguments);
Result<Answer> run_soft_renew(World &world, const Arguments &arguments);
Result<Answer> run_ipoib_show(World &world, const Arguments &arguments);
Result<Answer> run_ipoib_set(World &world, const Arguments &arguments);
Result<Answer> run_ipoib_child_add(World &world, const Arguments &arguments);
Result<Answer> run_ipoib_child_remove(World &world, const Arguments &arguments);
Result<Answer> run_ipoib_addr(World &world, const Arguments &arguments);
Result<Answer> run_ipoib_export(World &world, const Arguments &arguments);
Result<Answer> run_name_set(World &world, const Arguments &arguments);
Result<Answer> run_limits_set(World &world, const Arguments &arguments);
Result<Answer> run_modules_enable(World &world, const Arguments &arguments);
Result<Answer> run_modules_disable(World &world, const Arguments &arguments);
Result<Answer> run_modules_list(World &world, const Arguments &arguments);
Result<Answer> run_sm_enable(World &world, const Arguments &arguments);
Result<Answer> run_sm_set(World &world, const Arguments &arguments);
Result<Answer> run_sm_status(World &world, const Arguments &arguments);
Result<Answer> run_sm_partition_add(World &world, const Arguments &arguments);
Result<Answer> run_sm_partition_remove(World &world, const Arguments &arguments);
Result<Answer> run_roce_mode(World &world, const Arguments &arguments);
Result<Answer> run_port_enable(World &world, const Arguments &arguments);
Result<Answer> run_port_type(World &world, const Arguments &arguments);
Result<Answer> run_pfc_show(World &world, const Arguments &arguments);
Result<Answer> run_pfc_set(World &world, const Arguments &arguments);
Result<Answer> run_fix_tso(World &world, const Arguments &arguments);
Result<Answer> run_confirm(World &world, const Arguments &arguments);
Result<Answer> run_undo(World &world, const Arguments &arguments);
Result<Answer> run_complete(World &world, const Arguments &arguments);
Result<Answer> run_manual(World &world, const Arguments &arguments);
Result<Answer> run_firewall_open(World &world, const Arguments &arguments);
Result<Answer> run_run(World &world, const Arguments &arguments);
Result<Answer> run_bench(World &world, const Arguments &arguments);
Result<Answer> run_metrics(World &world, const Arguments &arguments);
Result<Answer> run_top(World &world, const Arguments &arguments);
Result<Answer> run_doctor(World &world, const Arguments &arguments);
Result<Answer> run_explain_rate(World &world, const Arguments &arguments);
Result<Answer> run_explain_address(World &world, const Arguments &arguments);
Result<Answer> run_explain_mode(World &world, const Arguments &arguments);
Result<Answer> run_ping(World &world, const Arguments &arguments);
Result<Answer> run_fabric(World &world, const Arguments &arguments);
Result<Answer> run_help(World &world, const Arguments &arguments);
Result<Answer> run_version(World &world, const Arguments &arguments);

} // namespace causeway
