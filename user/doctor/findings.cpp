// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/finding.h"

namespace causeway {

std::string_view severity_word(Severity severity) {
    switch (severity) {
    case Severity::notice:
        return "notice";
    case Severity::warning:
        return "warning";
    default:
        return "error";
    }
}

const std::vector<Finding> &all_findings() {
    static const std::vector<Finding> findings = [] {
        std::vector<Finding> all = module_findings();
        for (auto more : {port_findings(), ipoib_findings(), partition_findings(), roce_findings(),
                          soft_findings(), network_findings(), disk_findings(), service_findings(),
                          nfs_findings(), limit_findings(), log_findings()}) {
            all.insert(all.end(), more.begin(), more.end());
        }
        return all;
    }();
    return findings;
}

} // namespace causeway
