// SPDX-License-Identifier: GPL-2.0-or-later
// firewall open: lets in the packets that a service needs on this machine, in the firewall that
// runs.
//
// Packets of RDMA by software pass the kernel's firewall, and so do services over TCP. Packets of
// an RDMA adapter do not: disks by RDMA on InfiniBand need no open port.
#include "base/append_once.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "firewall/open_nft.h"
#include "firewall/service_ports.h"
#include "firewall/stored_ports.h"
#include "host/firewalld.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

Result<std::vector<OpenPort>> wanted_ports(World &world, const Arguments &arguments) {
    if (std::none_of(firewall_services.begin(), firewall_services.end(),
                     [&](const char *service) { return arguments.has(service); })) {
        return Error{ExitCode::usage, "no service is given whose ports are to be opened",
                     "name one or more: --disks, --nfs, --stock, --soft"};
    }
    auto networks = TRY(parse_from(arguments));
    if (networks.empty()) {
        return Error{ExitCode::usage, "no network is given whose packets may enter",
                     "give --from NETWORK, such as --from 10.0.0.0/24, or --from any for everyone"};
    }
    auto needed = needed_ports(world, arguments);
    if (!needed) {
        return needed;
    }
    std::vector<OpenPort> ports;
    for (const OpenPort &port : *needed) {
        for (const std::string &network : networks) {
            append_once(ports, OpenPort{port.protocol, port.port, network});
        }
    }
    return ports;
}

// Returns the firewall that --backend names, else that of find_firewall(); none if nothing closes
// the ports.
Result<std::optional<Firewall>> choose(World &world, const Arguments &arguments,
                                       const std::vector<OpenPort> &ports) {
    auto named = TRY(parse_firewall(arguments.text("backend")));
    return named ? Result<std::optional<Firewall>>(named) : find_firewall(world, ports);
}

Result<void> plan_firewalld(World &world, const Arguments &arguments,
                            const std::vector<OpenPort> &ports, ChangeSet &set) {
    if (const auto zone = arguments.text("zone")) {
        return plan_open_firewalld(world, {*zone}, ports, set);
    }
    std::vector<std::string> networks;
    for (const OpenPort &port : ports) {
        networks.push_back(port.from);
    }
    auto zones = TRY(zones_of_devices(world, rdma_devices(world.files), networks));
    return plan_open_firewalld(world, zones, ports, set);
}

Result<void> plan(World &world, Firewall firewall, const Arguments &arguments,
                  const std::vector<OpenPort> &ports, ChangeSet &set,
                  std::vector<std::string> &warnings) {
    switch (firewall) {
    case Firewall::firewalld:
        return plan_firewalld(world, arguments, ports, set);
    case Firewall::ufw:
        return plan_open_ufw(world, ports, set);
    case Firewall::nftables:
        break;
    }
    warnings = TRY(plan_nftables(world, ports, set));
    return {};
}

std::string title(const Arguments &arguments) {
    std::string text = "firewall open";
    for (const char *what : firewall_services) {
        text += arguments.has(what) ? fmt::format(" --{}", what) : "";
    }
    return text + fmt::format(" --from {}", fmt::join(arguments.list("from"), ","));
}

void report_other_loaders(World &world, Answer &answer) {
    if (!systemd_runs(world)) {
        return;
    }
    auto enabled = world.processes.run({"systemctl", "is-enabled", "nftables.service"});
    if (enabled && !enabled->good()) {
        answer.warnings.emplace_back(
            "nftables.service is not enabled: whatever else loads the rules at boot has to run "
            "\"causeway firewall open --at-boot\" after them");
    }
}

Result<Answer> run_firewall_open(World &world, const Arguments &arguments) {
    if (arguments.has("at-boot")) {
        return open_kept_ports(world);
    }
    auto ports = TRY(wanted_ports(world, arguments));
    auto found = TRY(choose(world, arguments, ports));
    ChangeSet set(title(arguments));
    if (ports.empty()) {
        return carry_out(world, {arguments.dry_run()}, set,
                         "no RDMA by software is here, and what an adapter does (InfiniBand, RoCE, "
                         "iWARP) does not pass the firewall");
    }
    if (!found) {
        return carry_out(world, {arguments.dry_run()}, set, "no firewall closes these ports here");
    }
    const Firewall firewall = *found;
    if (arguments.has("zone") && firewall != Firewall::firewalld) {
        return Error{ExitCode::usage,
                     fmt::format("--zone is for firewalld, here runs {}", firewall_name(firewall)),
                     "leave it out"};
    }
    std::vector<std::string> warnings;
    TRY(plan(world, firewall, arguments, ports, set, warnings));
    auto answer =
        carry_out(world, {arguments.dry_run()}, set,
                  fmt::format("the ports are open in {} already", firewall_name(firewall)));
    if (!answer) {
        return answer;
    }
    answer->warnings.insert(answer->warnings.end(), warnings.begin(), warnings.end());
    answer->json["firewall"] = firewall_name(firewall);
    answer->json["ports"] = Json::array();
    for (const OpenPort &port : ports) {
        answer->json["ports"].push_back(port.phrase());
    }
    if (firewall == Firewall::nftables && !set.empty()) {
        report_other_loaders(world, *answer);
    }
    return answer;
}

const VerbRows open_rows(Section::host, 14, [] {
    return std::vector<Verb>{
        {
            .words = "firewall open",
            .summary = "open the ports of disks, NFS and RDMA in firewalld, ufw or nftables, now "
                       "and at boot",
            .options =
                {{"disks", "",
                  "open the ports of exported disks: that of RDMA by software, and TCP 4794 if one "
                  "is "
                  "exported with --tcp or no RDMA device is here"},
                 {"nfs", "", "open the ports of NFS: the RDMA port of nfs serve, and TCP 2049"},
                 {"stock", "", "open the ports of exports by NVMe, iSER, iSCSI and SRP"},
                 {"soft", "",
                  "open UDP 4791 alone, which every host with Soft-RoCE needs, also a client"},
                 {"from", "any|NETWORK...",
                  "networks whose packets are let in, or any: every host; must be given", true},
                 {"zone", "ZONE",
                  "zone, with firewalld alone; by default the zones of the devices and senders"},
                 {"backend", "firewalld|ufw|nftables",
                  "the firewall to use instead of the one that is found here"},
                 {"at-boot", "", "as nftables.service calls it: opens again what was opened once",
                  false, true}},
            .changes = true,
            .run = run_firewall_open,
        },
    };
});

} // namespace

} // namespace causeway
