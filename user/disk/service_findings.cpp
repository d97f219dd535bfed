// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about the configuration of disks and the services that restore the disks at boot.
#include "disk/facts.h"
#include "doctor/finding.h"

#include <fmt/format.h>

namespace causeway {

namespace {

std::vector<Sighting> broken(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const auto *errors :
         {&facts.of<DiskFacts>().exports.broken, &facts.of<DiskFacts>().stock_files.broken,
          &facts.of<DiskFacts>().attachments.broken}) {
        for (const Error &error : *errors) {
            seen.push_back(
                {"", error.what,
                 error.fix.empty() ? "fix the file, then: causeway restore" : error.fix});
        }
    }
    return seen;
}

std::vector<Sighting> keys(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const auto &[name, why] : facts.of<DiskFacts>().bad_keys) {
        seen.push_back({name, fmt::format("the key of {} cannot be used: {}", name, why),
                        "chown root FILE; chmod 600 FILE; causeway restore"});
    }
    return seen;
}

bool anything(const Facts &facts) {
    return !facts.of<DiskFacts>().exports.good.empty() ||
           !facts.of<DiskFacts>().attachments.good.empty();
}

std::vector<Sighting> service_not_at_boot(const Facts &facts) {
    if (!facts.systemd || facts.of<DiskFacts>().service_enabled || !anything(facts)) {
        return {};
    }
    Sighting seen{"", "causeway.service is not enabled", "systemctl enable causeway.service"};
    seen.plan = [](World & /*world*/, ChangeSet &set) -> Result<void> {
        set.add(change_program({"systemctl", "enable", "causeway.service"},
                               {"systemctl", "disable", "causeway.service"}));
        return {};
    };
    return {seen};
}

std::vector<Sighting> failed(const Facts &facts) {
    if (!facts.of<DiskFacts>().service_failed) {
        return {};
    }
    return {{"", "causeway.service or causeway-stock.service has failed",
             "journalctl -b -u causeway.service -u causeway-stock.service says why; then: "
             "systemctl restart causeway"}};
}

const FindingRows service_findings("service", [] {
    return std::vector<Finding>{
        {"configuration-broken", Severity::error, "a file of /etc/causeway cannot be read",
         "Nothing that it describes is brought up.", "fix the file, then: causeway restore",
         broken},
        {"key-unusable", Severity::error, "a key file is missing or not safe",
         "A key that others may read is refused, as is one that has fewer than 16 bytes, more than "
         "64, or only zero bytes.",
         "chmod 600 FILE", keys},
        {"service-not-enabled", Severity::warning,
         "disks are configured and causeway.service is not enabled",
         "Nothing brings them back at the next boot.", "systemctl enable causeway.service",
         service_not_at_boot},
        {"service-failed", Severity::error, "causeway.service or causeway-stock.service has failed",
         "Part of what is configured was not brought up at boot.",
         "journalctl -b -u causeway.service -u causeway-stock.service", failed},
    };
});

} // namespace

} // namespace causeway
