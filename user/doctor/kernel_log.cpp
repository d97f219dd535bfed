// SPDX-License-Identifier: GPL-2.0-or-later
// Findings from messages of our modules in the kernel's log. A test checks that the phrases are in
// the sources of kmod/.
#include "doctor/finding.h"

#include <fmt/format.h>

namespace causeway {

namespace {

struct LogLines {
    std::size_t count = 0;
    std::string last;
};

// Returns the lines of our modules that contain this phrase.
LogLines lines_with(const Facts &facts, std::string_view phrase) {
    LogLines lines;
    for (const std::string &line : facts.log) {
        const bool ours =
            line.rfind("causeway: ", 0) == 0 || line.rfind("causeway_rpcrdma: ", 0) == 0;
        if (ours && line.find(phrase) != std::string::npos) {
            lines.count++;
            lines.last = line.substr(line.find(": ") + 2);
        }
    }
    return lines;
}

std::string told(const LogLines &lines, std::string_view meaning) {
    return lines.count == 1
               ? fmt::format("{}: \"{}\"", meaning, lines.last)
               : fmt::format("{}, {} times, at last: \"{}\"", meaning, lines.count, lines.last);
}

std::vector<Sighting> one(const LogLines &lines, std::string_view meaning, std::string fix,
                          std::size_t least = 1) {
    if (lines.count < least) {
        return {};
    }
    return {{"", told(lines, meaning), std::move(fix)}};
}

constexpr std::string_view login_refused = "refused: ";
constexpr std::string_view flush_failed = "flushing failed";
constexpr std::string_view no_block_device = "no block device (";
constexpr std::string_view connection_lost = "connection lost: ";
constexpr std::string_view nfs_lost = "the connection was lost: ";
constexpr std::string_view no_ipv6 = "not listening on IPv6";
constexpr std::string_view held_name = "holds the name \"rdma\"";
constexpr std::size_t often = 3;

std::vector<Sighting> logins(const Facts &facts) {
    LogLines lines = lines_with(facts, login_refused);
    if (lines.last.rfind("login from ", 0) != 0) {
        return {};
    }
    return one(lines, "a client was refused", "causeway export list; see --allow and --key-file");
}

std::vector<Sighting> flushes(const Facts &facts) {
    return one(lines_with(facts, flush_failed),
               "an export was stopped and its device did not take the flush",
               "check the device (dmesg, smartctl) and the data of its clients");
}

std::vector<Sighting> block_devices(const Facts &facts) {
    return one(lines_with(facts, no_block_device), "an attachment got no block device",
               "free memory or minor numbers, then: causeway restore");
}

std::vector<Sighting> lost(const Facts &facts) {
    LogLines lines = lines_with(facts, connection_lost);
    const LogLines nfs = lines_with(facts, nfs_lost);
    lines.count += nfs.count;
    lines.last = nfs.count != 0 ? nfs.last : lines.last;
    return one(lines, "connections were lost", "causeway net; and see the cable: causeway doctor",
               often);
}

std::vector<Sighting> no_listener(const Facts &facts) {
    return one(
        lines_with(facts, no_ipv6), "disks are not offered on IPv6",
        "sysctl -w net.ipv6.conf.all.disable_ipv6=0; causeway stop --force; rmmod causeway_target; "
        "causeway restore");
}

std::vector<Sighting> name_held(const Facts &facts) {
    if (facts.modules.count(module_rpcrdma) != 0 && facts.modules.at(module_rpcrdma).loaded) {
        return {};
    }
    return one(lines_with(facts, held_name), "Causeway's NFS transport could not be loaded",
               "causeway nfs transport causeway");
}

const FindingRows log_findings("log", [] {
    return std::vector<Finding>{
        {"log-login-refused", Severity::notice, "clients were refused",
         "Their address is not on the allow list, their key is another, or the export is "
         "exclusive and taken; the quoted line says which.",
         "causeway export list", logins},
        {"log-flush-failed", Severity::error, "an export's device did not take the last flush",
         "What clients wrote last may be lost.", "check the device", flushes},
        {"log-no-block-device", Severity::error, "an attachment got no block device",
         "The kernel had no memory or no number for it.", "causeway restore", block_devices},
        {"log-connections-lost", Severity::warning, "connections were lost again and again",
         "Each loss costs seconds of waiting. A cable, a switch or a busy peer is behind it.",
         "causeway net", lost},
        {"log-no-ipv6", Severity::notice, "disks are not offered on IPv6",
         "IPv6 is off on this machine, or its port was taken.",
         "sysctl -w net.ipv6.conf.all.disable_ipv6=0", no_listener},
        {"log-nfs-name-held", Severity::error, "Causeway's NFS transport could not be loaded",
         "The kernel's own module was loaded already, and only one can have the name.",
         "causeway nfs transport causeway", name_held},
    };
});

} // namespace

std::vector<std::string_view> log_phrases() {
    return {login_refused, flush_failed, no_block_device, connection_lost,
            nfs_lost,      no_ipv6,      held_name};
}

} // namespace causeway
