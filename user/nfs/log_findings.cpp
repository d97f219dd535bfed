// SPDX-License-Identifier: GPL-2.0-or-later
// A finding about NFS from a message of the module in the kernel's log.
#include "doctor/finding.h"
#include "doctor/kernel_log.h"

namespace causeway {

namespace {

const LogPhrase held_name("holds the name \"rdma\"");

std::vector<Sighting> name_held(const Facts &facts) {
    if (facts.modules.count(module_rpcrdma) != 0 && facts.modules.at(module_rpcrdma).loaded) {
        return {};
    }
    return log_sighting(lines_with(facts, held_name),
                        "Causeway's NFS transport could not be loaded",
                        "causeway nfs transport causeway");
}

const FindingRows log_findings("log-nfs", [] {
    return std::vector<Finding>{
        {"log-nfs-name-held", Severity::error, "Causeway's NFS transport could not be loaded",
         "The kernel's own module was loaded already, and only one can have the name.",
         "causeway nfs transport causeway", name_held},
    };
});

} // namespace

} // namespace causeway
