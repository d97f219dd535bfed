// SPDX-License-Identifier: GPL-2.0-or-later
// Findings about kernel modules: Causeway's, and modules of the kernel that block them or are
// needed with them.
#include "boot/facts.h"
#include "doctor/finding.h"
#include "nfs/facts.h"

#include "show/words.h"

#include <fmt/format.h>

namespace causeway {

namespace {

std::string rebuild(const Facts &facts) {
    if (facts.of<BootFacts>().programs.count("dkms") != 0) {
        return fmt::format("dkms autoinstall -k {}", facts.kernel);
    }
    return "make install, in Causeway's source";
}

std::vector<Sighting> missing(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const auto &[name, module] : facts.modules) {
        if (!module.loaded && !module.installed) {
            seen.push_back({name, fmt::format("{} is not there for kernel {}", name, facts.kernel),
                            rebuild(facts)});
        }
    }
    return seen;
}

std::vector<Sighting> other_kernel(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const auto &[name, module] : facts.modules) {
        if (module.installed && !module.kernel.empty() && module.kernel != facts.kernel) {
            seen.push_back({name,
                            fmt::format("{} was built for kernel {}, {} runs", name, module.kernel,
                                        facts.kernel),
                            rebuild(facts)});
        }
    }
    return seen;
}

// Returns true if the line names one of our modules before the phrase.
bool says(const std::string &line, std::string_view phrase) {
    return line.find("causeway") < line.find(phrase) && line.find(phrase) != std::string::npos;
}

std::vector<Sighting> other_symbols(const Facts &facts) {
    for (const std::string &line : facts.log) {
        if (says(line, "disagrees about version of symbol") || says(line, "Unknown symbol")) {
            return {{"", fmt::format("the kernel refused a module of Causeway: {}", line),
                     rebuild(facts)}};
        }
    }
    return {};
}

constexpr const char *enrol = "mokutil --import /var/lib/dkms/mok.pub, then reboot";

std::vector<Sighting> unsigned_module(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const auto &[name, module] : facts.modules) {
        if (facts.of<BootFacts>().secure_boot && module.installed && module.signer.empty()) {
            seen.push_back(
                {name, fmt::format("Secure Boot is on and {} is not signed", name),
                 fmt::format("dkms remove causeway --all; dkms autoinstall -k {}", facts.kernel)});
        }
    }
    return seen;
}

std::vector<Sighting> unknown_key(const Facts &facts) {
    std::vector<Sighting> seen;
    if (!facts.of<BootFacts>().secure_boot || facts.of<BootFacts>().keyring.empty()) {
        return seen;
    }
    for (const auto &[name, module] : facts.modules) {
        if (!module.signer.empty() &&
            facts.of<BootFacts>().keyring.find(module.signer) == std::string::npos) {
            seen.push_back({name,
                            fmt::format("{} is signed with \"{}\", a key that this machine does "
                                        "not trust",
                                        name, module.signer),
                            enrol});
        }
    }
    return seen;
}

std::vector<Sighting> key_refused(const Facts &facts) {
    for (const std::string &line : facts.log) {
        if (line.find("Loading of unsigned module is rejected") != std::string::npos ||
            says(line, "Key was rejected")) {
            return {{"", fmt::format("the kernel refused a module: {}", line), enrol}};
        }
    }
    return {};
}

// Returns why the module of the chosen transport cannot be loaded, or "" if no reason is known.
std::string no_chosen_module(const Facts &facts) {
    const auto module = facts.modules.find(module_rpcrdma);
    if (facts.of<NfsFacts>().transport.configured != NfsTransport::causeway ||
        module == facts.modules.end() || module->second.loaded) {
        return {};
    }
    if (!module->second.installed) {
        return fmt::format("is not there for kernel {}", facts.kernel);
    }
    const std::string &signer = module->second.signer;
    if (facts.of<BootFacts>().secure_boot && signer.empty()) {
        return "is not signed, and Secure Boot is on";
    }
    if (facts.of<BootFacts>().secure_boot && !facts.of<BootFacts>().keyring.empty() &&
        facts.of<BootFacts>().keyring.find(signer) == std::string::npos) {
        return "is signed with a key that this machine does not trust";
    }
    return {};
}

std::vector<Sighting> transport_not_there(const Facts &facts) {
    const std::string why = no_chosen_module(facts);
    if (why.empty()) {
        return {};
    }
    return {{module_rpcrdma,
             fmt::format("the transport causeway is chosen for NFS over RDMA and {} {}: the "
                         "kernel's own carries it",
                         module_rpcrdma, why),
             rebuild(facts)}};
}

std::vector<Sighting> wrong_transport(const Facts &facts) {
    const auto wrong = wrong_one(facts.of<NfsFacts>().transport);
    if (!wrong || !no_chosen_module(facts).empty()) {
        return {};
    }
    const bool idle =
        facts.of<NfsFacts>().transport.mounts.empty() && !facts.of<NfsFacts>().transport.listens;
    Sighting seen{"",
                  fmt::format("NFS over RDMA goes by {}, though {} is chosen",
                              transport_module(*wrong),
                              transport_name(facts.of<NfsFacts>().transport.configured)),
                  way_out(facts.of<NfsFacts>().transport)};
    if (idle) {
        const std::string chosen(transport_name(facts.of<NfsFacts>().transport.configured));
        seen.fix = "causeway nfs transport " + chosen;
        seen.verb = {"nfs", "transport", chosen};
    }
    return {seen};
}

Sighting enable(const Facts & /*facts*/, const std::string &module, const std::string &what) {
    return {module, what, "causeway modules enable " + module, {"modules", "enable", module}};
}

bool any_port(const Facts &facts, bool (PortFacts::*is)() const) {
    for (const DeviceFacts &device : facts.devices) {
        for (const PortFacts &port : device.ports) {
            if ((port.*is)()) {
                return true;
            }
        }
    }
    return false;
}

std::vector<Sighting> no_verbs(const Facts &facts) {
    std::vector<Sighting> seen;
    for (const std::string module : {"ib_uverbs", "rdma_ucm"}) {
        if (!facts.devices.empty() && facts.of<BootFacts>().loaded.count(module) == 0) {
            seen.push_back(enable(facts, module, fmt::format("{} is not loaded", module)));
        }
    }
    return seen;
}

std::vector<Sighting> no_umad(const Facts &facts) {
    if (!any_port(facts, &PortFacts::infiniband) ||
        facts.of<BootFacts>().loaded.count("ib_umad") != 0) {
        return {};
    }
    return {enable(facts, "ib_umad", "ib_umad is not loaded")};
}

std::vector<Sighting> no_ipoib(const Facts &facts) {
    if (!any_port(facts, &PortFacts::infiniband) ||
        facts.of<BootFacts>().loaded.count("ib_ipoib") != 0) {
        return {};
    }
    return {enable(facts, "ib_ipoib", "ib_ipoib is not loaded")};
}

const FindingRows module_findings("module", [] {
    return std::vector<Finding>{
        {"module-missing", Severity::error, "a module of Causeway is not there for this kernel",
         "Disks and files cannot be served or used. It comes with a new kernel whose headers are "
         "not installed, or when the modules were never built.",
         "dkms autoinstall -k KERNEL", missing},
        {"module-of-other-kernel", Severity::error,
         "a module of Causeway was built for another kernel",
         "The kernel refuses a module that was not built for it (\"Invalid module format\").",
         "dkms autoinstall -k KERNEL", other_kernel},
        {"module-symbols", Severity::error,
         "a module of Causeway does not fit the RDMA stack that is loaded",
         "With an OFED the RDMA core is not the kernel's own: modules have to be built against it, "
         "see autobuild.conf.",
         "dkms autoinstall -k KERNEL", other_symbols},
        {"module-unsigned", Severity::error, "Secure Boot is on and a module is not signed",
         "The kernel refuses unsigned modules then (\"Key was rejected by service\").",
         "dkms remove causeway --all; dkms autoinstall -k KERNEL", unsigned_module},
        {"module-key-unknown", Severity::error,
         "a module is signed with a key that this machine does not trust",
         "With Secure Boot the kernel takes only modules whose key is enrolled. The firmware asks "
         "for it at the next boot.",
         enrol, unknown_key},
        {"module-key-refused", Severity::error, "the kernel refused a module for its signature",
         "The kernel's log of this boot has the refusal.", enrol, key_refused},
        {"nfs-transport-not-chosen-one", Severity::warning,
         "NFS over RDMA goes by another module than the chosen one",
         "Both have the same names in the kernel, so that only one can be loaded: the other came "
         "first. Debian's /etc/rdma/modules/rdma.conf loads the kernel's own with the first RDMA "
         "device.",
         "causeway nfs transport causeway", wrong_transport},
        {"nfs-transport-not-there", Severity::warning,
         "Causeway's transport is chosen for NFS over RDMA and its module cannot be loaded",
         "NFS over RDMA works, by the kernel's own module, without Causeway's counters, and "
         "without its rules, which spread the queue pairs of a mount over several local addresses.",
         "dkms autoinstall -k KERNEL", transport_not_there},
        {"verbs-modules-not-loaded", Severity::notice,
         "programs cannot use RDMA: ib_uverbs or rdma_ucm is not loaded",
         "Causeway's own disks and mounts do not need them; BeeGFS, MPI, qperf, rping and others "
         "do.",
         "causeway modules enable MODULE", no_verbs},
        {"umad-not-loaded", Severity::notice, "ib_umad is not loaded on a machine with InfiniBand",
         "opensm, ibstat, ibnetdiscover and their kin speak through it.",
         "causeway modules enable ib_umad", no_umad},
        {"ipoib-not-loaded", Severity::warning,
         "ib_ipoib is not loaded on a machine with InfiniBand",
         "Without IP over InfiniBand a port has no IP address, and peers are found by IP address.",
         "causeway modules enable ib_ipoib", no_ipoib},
    };
});

} // namespace

} // namespace causeway
