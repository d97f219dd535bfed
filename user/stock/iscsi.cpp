// SPDX-License-Identifier: GPL-2.0-or-later
// iSCSI over TCP and over RDMA (iSER). The target is LIO
// (drivers/target/iscsi/iscsi_target_configfs.c), where each export is a target of its own, with
// one portal group and one LUN. The initiator is open-iscsi.
#include "host/rdma_devices.h"
#include "stock/transport.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr const char *sessions_folder = "/sys/class/iscsi_session";
constexpr std::chrono::seconds iscsiadm_limit{120};
// Exit codes of iscsiadm, from include/iscsi_err.h of open-iscsi.
constexpr int session_exists = 15;
constexpr int no_objects = 21;

Result<void> iscsiadm(World &world, std::vector<std::string> words, std::vector<int> harmless) {
    words.insert(words.begin(), "iscsiadm");
    auto end = TRY(world.processes.run(words, iscsiadm_limit));
    const bool passes =
        end.good() || std::find(harmless.begin(), harmless.end(), end.status) != harmless.end();
    if (passes) {
        return {};
    }
    const bool no_daemon = end.err.find("connect to iSCSI daemon") != std::string::npos;
    return Error{ExitCode::try_again,
                 fmt::format("\"{}\": {}", fmt::join(words, " "),
                             end.timed_out ? "no answer" : end.last_words()),
                 no_daemon ? "start it: systemctl enable --now iscsid"
                           : "the kernel's log says more: dmesg | tail"};
}

class IscsiTransport final : public StockTransport {
  public:
    using StockTransport::StockTransport;

    Result<std::string> parse_target(std::string_view text) const override {
        return parse_iscsi_name(text);
    }

    Result<std::string> default_target(KernelFiles &files,
                                       const StockExport &settings) const override {
        return parse_iscsi_name(
            fmt::format("iqn.2003-01.org.linux-iscsi.{}:{}", machine_name(files), settings.name));
    }

    std::vector<std::string> target_modules() const override {
        return row().uses_rdma ? std::vector<std::string>{"iscsi_target_mod", "ib_isert"}
                               : std::vector<std::string>{"iscsi_target_mod"};
    }

    Result<TargetPlan> plan_target(KernelFiles & /*files*/, const StockExport &settings,
                                   const TargetPlan &store) const override {
        const std::string target = fmt::format("{}/iscsi/{}", lio_folder, settings.target);
        const std::string group = target + "/tpgt_1";
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
        if (row().uses_rdma) {
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

    std::vector<std::string> initiator_modules() const override {
        return {"sd_mod", row().uses_rdma ? "ib_iser" : "iscsi_tcp"};
    }

    Result<Offer> discover(World &world, const SocketAddress &portal) const override {
        // The discovery must leave no record in the database of open-iscsi.
        const std::vector<std::string> words = {"iscsiadm",    "-m",          "discovery",
                                                "-t",          "sendtargets", "-p",
                                                portal.text(), "-o",          "nonpersistent"};
        auto end = TRY(world.processes.run(words, iscsiadm_limit));
        if (!end.good() && end.status != no_objects) {
            return Error{ExitCode::try_again,
                         fmt::format("iSCSI discovery at {}: {}", portal.text(),
                                     end.timed_out ? "no answer" : end.last_words())};
        }
        return parse_iscsi_discovery(end.out);
    }

    Result<void> connect(World &world, StockAttachment &settings,
                         const SocketAddress &portal) const override {
        const std::vector<std::string> node = {
            "-m", "node",        "-T", settings.target,
            "-p", portal.text(), "-I", row().uses_rdma ? "iser" : "default"};
        const auto with = [&](std::initializer_list<std::string> more) {
            std::vector<std::string> words = node;
            words.insert(words.end(), more);
            return words;
        };
        TRY(iscsiadm(world, with({"-o", "new"}), {}));
        // "causeway restore" reconnects after a reboot, so open-iscsi must not.
        TRY(iscsiadm(world, with({"-o", "update", "-n", "node.startup", "-v", "manual"}), {}));
        auto up = iscsiadm(world, with({"--login"}), {session_exists});
        if (!up) {
            (void)iscsiadm(world, with({"-o", "delete"}), {no_objects});
        }
        return up;
    }

    Result<void> disconnect(World &world, const StockAttachment &settings) const override {
        // The target may have further sessions by other portals, which are not those of the disk.
        std::vector<std::string> node = {"-m", "node", "-T", settings.target};
        if (settings.portal) {
            node.insert(node.end(), {"-p", settings.portal->text()});
        }
        auto words = node;
        words.emplace_back("--logout");
        TRY(iscsiadm(world, words, {no_objects}));
        words = node;
        words.insert(words.end(), {"-o", "delete"});
        return iscsiadm(world, words, {no_objects});
    }

    std::optional<StockConnection> find(KernelFiles &files,
                                        const StockAttachment &settings) const override {
        constexpr std::string_view target_start = "target";
        for (const std::string &session : files.list(sessions_folder)) {
            const std::string folder = fmt::format("{}/{}", sessions_folder, session);
            if (sysfs_text(files, folder + "/targetname") != settings.target) {
                continue;
            }
            StockConnection found{session, sysfs_text(files, folder + "/state")};
            for (const std::string &name : files.list(folder + "/device")) {
                if (name.rfind(target_start, 0) == 0) {
                    found.disks = scsi_disks(files, name.substr(target_start.size()) + ":");
                }
            }
            return found;
        }
        return std::nullopt;
    }
};

} // namespace

const StockTransport &iser_transport() {
    static const IscsiTransport transport({.word = "iser",
                                           .title = "iSER",
                                           .port = 3260,
                                           .uses_rdma = true,
                                           .uses_tcp = true,
                                           .program = "iscsiadm",
                                           .package = "open-iscsi"});
    return transport;
}

const StockTransport &iscsi_transport() {
    static const IscsiTransport transport({.word = "iscsi",
                                           .title = "iSCSI",
                                           .port = 3260,
                                           .uses_rdma = false,
                                           .uses_tcp = true,
                                           .program = "iscsiadm",
                                           .package = "open-iscsi"});
    return transport;
}

std::vector<std::string> scsi_disks(KernelFiles &files, const std::string &start) {
    std::vector<std::string> disks;
    for (const std::string &address : files.list("/sys/class/scsi_disk")) {
        if (address.rfind(start, 0) != 0) {
            continue;
        }
        for (const std::string &disk :
             files.list(fmt::format("/sys/class/scsi_disk/{}/device/block", address))) {
            disks.push_back(disk);
        }
    }
    return disks;
}

} // namespace causeway
