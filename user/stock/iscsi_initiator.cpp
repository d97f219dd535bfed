// SPDX-License-Identifier: GPL-2.0-or-later
// The initiator of iSCSI and iSER: open-iscsi.
#include "stock/initiator.h"

#include "host/rdma_devices.h"

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

} // namespace

std::vector<std::string> parse_iscsi_discovery(const std::string &text) {
    std::vector<std::string> names;
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        const std::string line = text.substr(start, end - start);
        const std::size_t space = line.find(' ');
        const std::string name = space == std::string::npos ? "" : line.substr(space + 1);
        if (parse_target(Via::iscsi, name) &&
            std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
        start = end + 1;
    }
    return names;
}

Result<std::vector<std::string>> discover_iscsi(World &world, const SocketAddress &portal) {
    // The discovery must leave no record in the database of open-iscsi.
    const std::vector<std::string> words = {"iscsiadm",    "-m",          "discovery",
                                            "-t",          "sendtargets", "-p",
                                            portal.text(), "-o",          "nonpersistent"};
    auto end = world.processes.run(words, iscsiadm_limit);
    if (!end) {
        return end.error();
    }
    if (!end->good() && end->status != no_objects) {
        return Error{ExitCode::try_again,
                     fmt::format("iSCSI discovery at {}: {}", portal.text(),
                                 end->timed_out ? "no answer" : end->last_words())};
    }
    return parse_iscsi_discovery(end->out);
}

Result<void> connect_iscsi(World &world, const StockAttachment &settings,
                           const SocketAddress &portal) {
    const std::vector<std::string> node = {
        "-m", "node",        "-T", settings.target,
        "-p", portal.text(), "-I", settings.via == Via::iser ? "iser" : "default"};
    const auto with = [&](std::initializer_list<std::string> more) {
        std::vector<std::string> words = node;
        words.insert(words.end(), more);
        return words;
    };
    if (auto made = iscsiadm(world, with({"-o", "new"}), {}); !made) {
        return made;
    }
    // "causeway restore" reconnects after a reboot, so open-iscsi must not.
    if (auto set =
            iscsiadm(world, with({"-o", "update", "-n", "node.startup", "-v", "manual"}), {});
        !set) {
        return set;
    }
    auto up = iscsiadm(world, with({"--login"}), {session_exists});
    if (!up) {
        (void)iscsiadm(world, with({"-o", "delete"}), {no_objects});
    }
    return up;
}

Result<void> disconnect_iscsi(World &world, const StockAttachment &settings) {
    const std::vector<std::string> node = {"-m", "node", "-T", settings.target};
    auto words = node;
    words.emplace_back("--logout");
    if (auto ended = iscsiadm(world, words, {no_objects}); !ended) {
        return ended;
    }
    words = node;
    words.insert(words.end(), {"-o", "delete"});
    return iscsiadm(world, words, {no_objects});
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

std::optional<StockConnection> find_iscsi(KernelFiles &files, const StockAttachment &settings) {
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

} // namespace causeway
