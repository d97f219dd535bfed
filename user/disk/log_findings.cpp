// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about disks from messages of the modules in the kernel's log.
#include "doctor/finding.h"
#include "doctor/kernel_log.h"

namespace causeway {

namespace {

const LogPhrase login_refused("refused: ");
const LogPhrase flush_failed("flushing failed");
const LogPhrase no_block_device("no block device (");
const LogPhrase no_ipv6("not listening on IPv6");

std::vector<Sighting> logins(const Facts &facts) {
    const LogLines lines = lines_with(facts, login_refused);
    if (lines.last.rfind("login from ", 0) != 0) {
        return {};
    }
    return log_sighting(lines, "a client was refused",
                        "causeway export list; see --allow and --key-file");
}

std::vector<Sighting> flushes(const Facts &facts) {
    return log_sighting(lines_with(facts, flush_failed),
                        "an export was stopped and its device did not take the flush",
                        "check the device (dmesg, smartctl) and the data of its clients");
}

std::vector<Sighting> block_devices(const Facts &facts) {
    return log_sighting(lines_with(facts, no_block_device), "an attachment got no block device",
                        "free memory or minor numbers, then: causeway restore");
}

std::vector<Sighting> no_listener(const Facts &facts) {
    return log_sighting(
        lines_with(facts, no_ipv6), "disks are not offered on IPv6",
        "sysctl -w net.ipv6.conf.all.disable_ipv6=0; causeway stop --force; rmmod causeway_target; "
        "causeway restore");
}

const FindingRows log_findings("log-disk", [] {
    return std::vector<Finding>{
        {"log-login-refused", Severity::notice, "clients were refused",
         "Their address is not on the allow list, their key is another, or the export is "
         "exclusive and taken; the quoted line says which.",
         "causeway export list", logins},
        {"log-flush-failed", Severity::error, "an export's device did not take the last flush",
         "The last writes of its clients may be lost.", "check the device", flushes},
        {"log-no-block-device", Severity::error, "an attachment got no block device",
         "The kernel had no memory or no number for it.", "causeway restore", block_devices},
    };
});

const FindingRows listener_findings("log-listener", [] {
    return std::vector<Finding>{
        {"log-no-ipv6", Severity::notice, "disks are not offered on IPv6",
         "IPv6 is off on this machine, or its port was taken.",
         "sysctl -w net.ipv6.conf.all.disable_ipv6=0", no_listener},
    };
});

} // namespace

} // namespace causeway
