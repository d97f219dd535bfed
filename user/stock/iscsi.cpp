// SPDX-License-Identifier: GPL-2.0-or-later
// iSCSI over TCP and over RDMA (iSER). The target is LIO
// (drivers/target/iscsi/iscsi_target_configfs.c), where each export is a LUN, by default in a
// target of its own. A target has one portal group. The initiator is open-iscsi.
#include "base/durable_file.h"
#include "host/rdma_devices.h"
#include "stock/transport.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr const char *sessions_folder = "/sys/class/iscsi_session";
constexpr std::chrono::seconds iscsiadm_limit{120};
// Exit codes of iscsiadm, from include/iscsi_err.h of open-iscsi.
constexpr int no_objects = 21;
constexpr int refused = 24;

Result<void> iscsiadm(World &world, std::vector<std::string> words, std::vector<int> harmless) {
    words.insert(words.begin(), "iscsiadm");
    auto end = TRY(world.processes.run(words, iscsiadm_limit));
    const bool passes =
        end.good() || std::find(harmless.begin(), harmless.end(), end.status) != harmless.end();
    if (passes) {
        return {};
    }
    if (end.status == refused) {
        return Error{ExitCode::no_permission,
                     fmt::format("the server refused the login: {}", end.last_words()),
                     "\"causeway export list\" on the server shows who may attach; with CHAP, give "
                     "its --chap-user and --chap-key-file here"};
    }
    const bool no_daemon = end.err.find("connect to iSCSI daemon") != std::string::npos;
    return Error{ExitCode::try_again,
                 fmt::format("\"{}\": {}", fmt::join(words, " "),
                             end.timed_out ? "no answer" : end.last_words()),
                 no_daemon ? "start it: systemctl enable --now iscsid"
                           : "the kernel's log says more: dmesg | tail"};
}

// Writes the names and secrets of CHAP to the record that iscsiadm has made. An option of iscsiadm
// would show a secret to every user of this machine.
Result<void> put_secrets(World &world, const StockAttachment &settings,
                         const SocketAddress &portal) {
    if (!settings.chap.is_set()) {
        return {};
    }
    const fs::path folder = world.places.of_others("etc/iscsi/nodes") / settings.target;
    const std::string start = fmt::format("{},{}", portal.host_text(), portal.port());
    bool found = false;
    std::error_code failure;
    for (fs::recursive_directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        const std::string name = entry->path().lexically_relative(folder).begin()->string();
        const bool fits = name == start || name.rfind(start + ",", 0) == 0;
        if (!fits || !entry->is_regular_file(failure)) {
            continue;
        }
        const auto text = TRY(read_small_file(entry->path()));
        const Secret record = TRY(node_record_with(text.value_or(""), settings.chap));
        const std::string_view bytes(reinterpret_cast<const char *>(record.bytes().data()),
                                     record.bytes().size());
        TRY(write_durably(entry->path(), bytes, 0600));
        found = true;
    }
    if (!found) {
        return Error{ExitCode::failed,
                     fmt::format("open-iscsi has no record {} in {}", start, folder.string()),
                     "CHAP needs open-iscsi with its database below /etc/iscsi/nodes"};
    }
    return {};
}

// The file that stands for a record of open-iscsi which Causeway made.
fs::path note_of(const World &world, const std::string &target, const SocketAddress &portal) {
    return world.places.iscsi_records() / target / portal.text();
}

// Deletes the record of the target at the portal, or all its records if there is no portal. @node:
// the words for iscsiadm that select them.
Result<void> delete_record(World &world, std::vector<std::string> node, const std::string &target,
                           const std::optional<SocketAddress> &portal) {
    node.insert(node.end(), {"-o", "delete"});
    TRY(iscsiadm(world, std::move(node), {no_objects}));
    const fs::path folder = world.places.iscsi_records() / target;
    std::error_code failure;
    if (portal) {
        auto forgotten = remove_durably(note_of(world, target, *portal));
        if (!forgotten) {
            return forgotten.error();
        }
        fs::remove(folder, failure); // stays if it has the files of other portals
    } else {
        fs::remove_all(folder, failure);
    }
    return {};
}

// Returns an error if open-iscsi has a record of the target at the portal that another program
// made, because the attachment would change it and detach would delete it. A record outlives a
// reboot. A record of Causeway may remain from an attachment that a reboot or a crash ended: there
// is a note of it, or a file that attaches the disk at boot. That of a note is deleted.
Result<void> expect_no_record(World &world, const StockAttachment &settings,
                              const SocketAddress &portal) {
    std::error_code failure;
    if (fs::exists(stock_place(world.places, settings), failure)) {
        return {};
    }
    const std::vector<std::string> words = {"iscsiadm",      "-m", "node",       "-o", "show", "-T",
                                            settings.target, "-p", portal.text()};
    auto end = TRY(world.processes.run(words, iscsiadm_limit));
    if (!end.good()) {
        return {};
    }
    if (fs::exists(note_of(world, settings.target, portal), failure)) {
        return delete_record(world, {"-m", "node", "-T", settings.target, "-p", portal.text()},
                             settings.target, portal);
    }
    return Error{ExitCode::failed,
                 fmt::format("open-iscsi has a record of {} at {} already, which causeway did not "
                             "make",
                             settings.target, portal.text()),
                 fmt::format("if nothing needs the record: iscsiadm -m node -T {} -p {} -o delete",
                             settings.target, portal.text())};
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

    // The exports of one target share its group, portals and initiators. Each has its LUN.
    Result<TargetPlan> plan_target(KernelFiles & /*files*/, const StockExport &settings,
                                   const TargetPlan &store) const override {
        const std::string group = group_of(settings);
        const std::string lun = fmt::format("{}/lun/lun_{}", group, lun_of(settings));
        const auto value = [&](const std::string &path, const char *text, const char *back = "") {
            return shared_step(config_value(path, text, back));
        };
        TargetPlan plan{lun, store.steps};
        auto &steps = plan.steps;
        steps.push_back(config_shared_folder(fmt::format("{}/iscsi", lio_folder)));
        steps.push_back(config_shared_folder(target_folder(settings)));
        steps.push_back(config_shared_folder(group));
        for (const SocketAddress &address : portals_of(settings)) {
            const std::string portal = fmt::format("{}/np/{}", group, address.text());
            steps.push_back(config_shared_folder(portal));
            if (row().uses_rdma) {
                steps.push_back(value(portal + "/iser", "1"));
            }
        }
        steps.push_back(config_folder(lun));
        steps.push_back(config_link(lun + "/causeway", store.probe));
        steps.push_back(
            value(group + "/attrib/authentication", settings.chap.is_set() ? "1" : "0"));
        steps.push_back(*openness(settings, lun));
        steps.push_back(
            value(group + "/attrib/demo_mode_write_protect", settings.read_only ? "1" : "0"));
        // LIO compares these with what an initiator sends that has no ACL.
        for (ConfigStep &step : chap_steps(group + "/auth", settings.chap)) {
            steps.push_back(std::move(step));
        }
        for (const std::string &initiator : settings.initiators) {
            for (ConfigStep &step : admit(settings, lun, initiator)) {
                steps.push_back(std::move(step));
            }
        }
        steps.push_back(value(group + "/enable", "1", "0"));
        return plan;
    }

    std::string target_folder(const StockExport &settings) const override {
        return fmt::format("{}/iscsi/{}", lio_folder, settings.target);
    }

    std::vector<ConfigStep> admit(const StockExport &settings, const std::string & /*probe*/,
                                  const std::string &initiator) const override {
        const std::string group = group_of(settings);
        const std::string acl = fmt::format("{}/acls/{}", group, initiator);
        const std::string name = fmt::format("lun_{}", lun_of(settings));
        const std::string mapped = fmt::format("{}/{}", acl, name);
        std::vector<ConfigStep> steps = {config_shared_folder(acl)};
        for (ConfigStep &step : chap_steps(acl + "/auth", settings.chap)) {
            steps.push_back(std::move(step));
        }
        steps.push_back(config_folder(mapped));
        steps.push_back(config_link(mapped + "/causeway", fmt::format("{}/lun/{}", group, name)));
        steps.push_back(config_value(mapped + "/write_protect", settings.read_only ? "1" : "0"));
        return steps;
    }

    std::optional<ConfigStep> openness(const StockExport &settings,
                                       const std::string & /*probe*/) const override {
        return shared_step(config_value(group_of(settings) + "/attrib/generate_node_acls",
                                        settings.initiators.empty() ? "1" : "0"));
    }

    std::vector<ConfigStep> cutting(const std::vector<ConfigStep> &steps) const override {
        std::vector<ConfigStep> found;
        std::copy_if(steps.begin(), steps.end(), std::back_inserter(found),
                     [](const ConfigStep &step) { return !step.back.empty(); });
        return found;
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
        TRY(expect_no_record(world, settings, portal));
        TRY(write_durably(note_of(world, settings.target, portal), "", 0644));
        auto up = iscsiadm(world, with({"-o", "new"}), {});
        if (up) {
            // "causeway restore" reconnects after a reboot, so open-iscsi must not.
            up = iscsiadm(world, with({"-o", "update", "-n", "node.startup", "-v", "manual"}), {});
        }
        if (up) {
            up = put_secrets(world, settings, portal);
        }
        if (up) {
            up = iscsiadm(world, with({"--login"}), {});
        }
        if (!up) {
            (void)delete_record(world, node, settings.target, portal);
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
        return delete_record(world, node, settings.target, settings.portal);
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

  private:
    static std::string group_of(const StockExport &settings) {
        return fmt::format("{}/iscsi/{}/tpgt_1", lio_folder, settings.target);
    }
    static unsigned int lun_of(const StockExport &settings) { return settings.lun.value_or(0); }
};

} // namespace

const StockTransport &iser_transport() {
    // ib_isert gets no connection by IPv4 at a portal on [::], and its TCP socket there leaves no
    // room for a portal on 0.0.0.0.
    static const IscsiTransport transport({.word = "iser",
                                           .title = "iSER",
                                           .port = 3260,
                                           .uses_rdma = true,
                                           .uses_tcp = true,
                                           .any = StockTransport::Row::Any::v4,
                                           .chap = ChapForm::iscsi,
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
                                           .any = StockTransport::Row::Any::one,
                                           .chap = ChapForm::iscsi,
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
