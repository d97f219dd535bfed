// SPDX-License-Identifier: GPL-2.0-or-later
// firewall open: lets in the packets that a service needs on this machine, in the firewall that
// runs.
//
// Packets of RDMA by software pass the kernel's firewall, and so do services over TCP. Packets of
// an RDMA adapter do not: disks by RDMA on InfiniBand need no open port.
#include "base/durable_file.h"
#include "base/prefix.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/dropins.h"
#include "firewall/open_nft.h"
#include "host/firewall.h"
#include "host/firewalld.h"
#include "nfs/options.h"
#include "nfs/server.h"
#include "stock/exporting.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

namespace causeway {

namespace {

constexpr std::array services = {"disks", "nfs", "stock", "soft"};

// Returns the networks of --from; the text "" stands for any network.
Result<std::vector<std::string>> parse_from(const Arguments &arguments) {
    const auto typed = arguments.list("from");
    if (typed.empty()) {
        return Error{ExitCode::usage, "no network is given whose packets may enter",
                     "give --from NETWORK, such as --from 10.0.0.0/24, or --from any for everyone"};
    }
    std::vector<std::string> networks;
    for (const std::string &each : typed) {
        if (each == "any" && typed.size() == 1) {
            return std::vector<std::string>{""};
        }
        if (each == "any") {
            return Error{ExitCode::usage, "--from any and a network exclude each other",
                         "give --from any alone, or the networks alone"};
        }
        auto network = TRY(parse_prefix(each, "--from"));
        networks.push_back(network.text());
    }
    return networks;
}

std::uint16_t rdma_port_of_nfs(const World &world) {
    const auto text = read_small_file(world.places.nfs_conf());
    const auto port = port_of_nfs_conf(text && *text ? **text : "");
    return port.value_or(nfs_rdma_port);
}

void append(std::vector<OpenPort> &ports, const std::vector<OpenPort> &more) {
    for (const OpenPort &port : more) {
        if (std::find(ports.begin(), ports.end(), port) == ports.end()) {
            ports.push_back(port);
        }
    }
}

Result<std::vector<OpenPort>> stock_ports(World &world, const std::vector<RdmaDevice> &devices) {
    std::vector<std::string> unreadable;
    auto exports = TRY(stock_exports(world, unreadable));
    if (!unreadable.empty()) {
        return Error{ExitCode::bad_config, unreadable.front(), "fix the file first"};
    }
    if (exports.empty()) {
        return Error{ExitCode::usage, "no export by NVMe, iSER, iSCSI or SRP is here",
                     "first: causeway export add NAME --via nvme|iser|iscsi|srp"};
    }
    std::vector<OpenPort> ports;
    for (const StockExportState &state : exports) {
        append(ports, ports_of(state.settings, devices));
    }
    return ports;
}

// The kernel knows those that are not kept for the next boot; without its module there are none.
bool serves_over_tcp(World &world) {
    const auto configured = load_exports(world.places);
    const auto running = world.kernel.exports();
    return (configured && std::any_of(configured->good.begin(), configured->good.end(),
                                      [](const auto &stored) { return stored.settings.tcp; })) ||
           (running && std::any_of(running->begin(), running->end(),
                                   [](const ExportInfo &info) { return info.settings.tcp; }));
}

// Returns the ports that the named services need, open for any sender.
Result<std::vector<OpenPort>> needed_ports(World &world, const Arguments &arguments) {
    const auto devices = rdma_devices(world.files);
    std::vector<OpenPort> ports;
    if (arguments.has("disks")) {
        append(ports, rdma_ports(devices, default_port));
        // Without an RDMA device, disks go over TCP alone, and the exports may come later.
        if (devices.empty() || serves_over_tcp(world)) {
            append(ports, {{"tcp", default_tcp_port}});
        }
    }
    if (arguments.has("nfs")) {
        append(ports, rdma_ports(devices, rdma_port_of_nfs(world)));
        append(ports, {{"tcp", nfs_tcp_port}});
    }
    if (arguments.has("stock")) {
        auto stock = stock_ports(world, devices);
        if (!stock) {
            return stock;
        }
        append(ports, *stock);
    }
    if (arguments.has("soft")) {
        const auto all = rdma_ports(devices, 0);
        std::copy_if(all.begin(), all.end(), std::back_inserter(ports), [&](const OpenPort &port) {
            return port.port == roce_port &&
                   std::find(ports.begin(), ports.end(), port) == ports.end();
        });
    }
    return ports;
}

Result<std::vector<OpenPort>> wanted_ports(World &world, const Arguments &arguments) {
    if (std::none_of(services.begin(), services.end(),
                     [&](const char *service) { return arguments.has(service); })) {
        return Error{ExitCode::usage, "no service is given whose ports are to be opened",
                     "name one or more: --disks, --nfs, --stock, --soft"};
    }
    auto networks = TRY(parse_from(arguments));
    auto needed = needed_ports(world, arguments);
    if (!needed) {
        return needed;
    }
    std::vector<OpenPort> ports;
    for (const OpenPort &port : *needed) {
        for (const std::string &network : networks) {
            append(ports, {{port.protocol, port.port, network}});
        }
    }
    return ports;
}

// Returns the firewall that --backend names, else that of find_firewall(); none if nothing closes
// the ports.
Result<std::optional<Firewall>> choose(World &world, const Arguments &arguments,
                                       const std::vector<OpenPort> &ports) {
    if (const auto typed = arguments.text("backend")) {
        for (const Firewall one : {Firewall::firewalld, Firewall::ufw, Firewall::nftables}) {
            if (firewall_name(one) == *typed) {
                return std::optional(one);
            }
        }
        return Error{ExitCode::usage, fmt::format("--backend '{}' is no firewall", *typed),
                     "give firewalld, ufw or nftables"};
    }
    return find_firewall(world, ports);
}

/* ---- firewalld: has a running and a permanent configuration ---- */

std::string firewalld_option(const char *action, const OpenPort &port) {
    if (port.from.empty()) {
        return fmt::format("--{}-port={}", action, port.text());
    }
    return fmt::format("--{}-rich-rule=rule family=\"{}\" source address=\"{}\" port port=\"{}\" "
                       "protocol=\"{}\" accept",
                       action, port.by_ipv6() ? "ipv6" : "ipv4", port.from, port.port,
                       port.protocol);
}

Result<void> plan_port_of_firewalld(World &world, const std::string &zone, const OpenPort &port,
                                    ChangeSet &set) {
    for (const bool lasting : {true, false}) {
        std::vector<std::string> words = {"firewall-cmd", "--zone=" + zone};
        if (lasting) {
            words.emplace_back("--permanent");
        }
        const auto with = [&](const char *action) {
            auto all = words;
            all.push_back(firewalld_option(action, port));
            return all;
        };
        auto open = TRY(world.processes.run(with("query")));
        // firewalld prints yes or no. Any other output is an error, such as an unknown zone.
        if (!open.good() && open.out != "no") {
            return Error{ExitCode::usage, fmt::format("firewalld refuses: {}", open.last_words()),
                         "see its zones: firewall-cmd --get-zones"};
        }
        if (!open.good()) {
            set.add(change_program(with("add"), with("remove")));
        }
    }
    return {};
}

Result<void> plan_firewalld(World &world, const Arguments &arguments,
                            const std::vector<OpenPort> &ports, ChangeSet &set) {
    std::vector<std::string> zones;
    if (const auto zone = arguments.text("zone")) {
        zones.push_back(*zone);
    } else {
        std::vector<std::string> networks;
        for (const OpenPort &port : ports) {
            networks.push_back(port.from);
        }
        zones = TRY(zones_of_devices(world, rdma_devices(world.files), networks));
    }
    for (const std::string &zone : zones) {
        for (const OpenPort &port : ports) {
            TRY(plan_port_of_firewalld(world, zone, port, set));
        }
    }
    return {};
}

/* ---- ufw ---- */

// Returns the words after "ufw allow", in the form of "ufw show added".
std::vector<std::string> ufw_words(const OpenPort &port) {
    if (port.from.empty()) {
        return {port.text()};
    }
    // ufw writes a network of one host as an address.
    std::string from = port.from;
    for (const std::string_view one_host : {"/32", "/128"}) {
        const std::size_t slash = from.rfind('/');
        if (slash != std::string::npos && from.substr(slash) == one_host &&
            port.by_ipv6() == (one_host == "/128")) {
            from.resize(slash);
        }
    }
    return {"from",  from,         "to", "any", "port", fmt::format("{}", port.port),
            "proto", port.protocol};
}

Result<void> plan_ufw(World &world, const std::vector<OpenPort> &ports, ChangeSet &set) {
    auto added = TRY(world.processes.run({"ufw", "show", "added"}));
    for (const OpenPort &port : ports) {
        const auto words = ufw_words(port);
        const std::string rule = fmt::format("ufw allow {}", fmt::join(words, " "));
        std::istringstream lines(added.out);
        bool open = false;
        for (std::string line; std::getline(lines, line);) {
            open = open || line == rule || line.substr(0, rule.size() + 1) == rule + " ";
        }
        if (!open) {
            std::vector<std::string> allow = {"ufw", "allow"};
            allow.insert(allow.end(), words.begin(), words.end());
            allow.insert(allow.end(), {"comment", "causeway"});
            std::vector<std::string> back = {"ufw", "delete", "allow"};
            back.insert(back.end(), words.begin(), words.end());
            set.add(change_program(allow, back));
        }
    }
    return {};
}

Result<void> plan(World &world, Firewall firewall, const Arguments &arguments,
                  const std::vector<OpenPort> &ports, ChangeSet &set,
                  std::vector<std::string> &warnings) {
    switch (firewall) {
    case Firewall::firewalld:
        return plan_firewalld(world, arguments, ports, set);
    case Firewall::ufw:
        return plan_ufw(world, ports, set);
    case Firewall::nftables:
        break;
    }
    warnings = TRY(plan_nftables(world, ports, set));
    return {};
}

std::string title(const Arguments &arguments) {
    std::string text = "firewall open";
    for (const char *what : services) {
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
