// SPDX-License-Identifier: GPL-2.0-or-later
// firewall open: lets in what Causeway and NFS over RDMA need, in whichever firewall runs.
//
// An RDMA adapter takes its packets past the kernel's firewall; what passes through it are software
// RDMA (RoCE v2 is UDP 4791), connections by TCP, and the replacements by TCP of what would go by
// RDMA.
#include "host/firewall.h"
#include "base/durable_file.h"
#include "change/carry_out.h"
#include "config/file_header.h"
#include "verbs/verbs.h"

#include <fmt/format.h>
#include <sstream>

namespace causeway {

namespace {

std::vector<OpenPort> wanted_ports(const Arguments &arguments) {
    const bool all = !arguments.has("disks") && !arguments.has("nfs") && !arguments.has("soft");
    std::vector<OpenPort> ports;
    if (all || arguments.has("disks")) {
        ports.push_back({"tcp", default_port});
    }
    if (all || arguments.has("nfs")) {
        ports.insert(ports.end(), {{"tcp", 20049}, {"udp", 20049}, {"tcp", 2049}});
    }
    if (all || arguments.has("soft")) {
        ports.push_back({"udp", 4791});
    }
    return ports;
}

// None where nothing filters.
Result<std::optional<Firewall>> choose(World &world, const Arguments &arguments) {
    if (const auto typed = arguments.text("backend")) {
        for (const Firewall one : {Firewall::firewalld, Firewall::ufw, Firewall::nftables}) {
            if (firewall_name(one) == *typed) {
                return std::optional(one);
            }
        }
        return Error{ExitCode::usage, fmt::format("--backend '{}' is no firewall", *typed),
                     "give firewalld, ufw or nftables"};
    }
    return find_firewall(world);
}

/* ---- firewalld: what runs and what is kept are told apart ---- */

Result<void> plan_firewalld(World &world, const Arguments &arguments, ChangeSet &set) {
    std::vector<std::string> base = {"firewall-cmd"};
    if (const auto zone = arguments.text("zone")) {
        base.push_back("--zone=" + *zone);
    }
    for (const OpenPort &port : wanted_ports(arguments)) {
        for (const bool lasting : {true, false}) {
            std::vector<std::string> words = base;
            if (lasting) {
                words.emplace_back("--permanent");
            }
            const auto with = [&](const char *action) {
                auto all = words;
                all.push_back(fmt::format("--{}-port={}", action, port.text()));
                return all;
            };
            auto open = world.processes.run(with("query"));
            if (!open) {
                return open.error();
            }
            // It answers yes or no; anything else is an error, such as an unknown zone.
            if (!open->good() && open->out != "no") {
                return Error{ExitCode::usage,
                             fmt::format("firewalld refuses: {}", open->last_words()),
                             "see its zones: firewall-cmd --get-zones"};
            }
            if (!open->good()) {
                set.add(change_program(with("add"), with("remove")));
            }
        }
    }
    return {};
}

/* ---- ufw ---- */

Result<void> plan_ufw(World &world, const Arguments &arguments, ChangeSet &set) {
    auto added = world.processes.run({"ufw", "show", "added"});
    if (!added) {
        return added.error();
    }
    for (const OpenPort &port : wanted_ports(arguments)) {
        std::istringstream lines(added->out);
        bool open = false;
        for (std::string line; std::getline(lines, line);) {
            const std::string rule = "ufw allow " + port.text();
            open = open || line == rule || line.substr(0, rule.size() + 1) == rule + " ";
        }
        if (!open) {
            set.add(change_program({"ufw", "allow", port.text(), "comment", "causeway"},
                                   {"ufw", "delete", "allow", port.text()}));
        }
    }
    return {};
}

/* ---- nftables: a rule in each chain now, and a file that its service reads after its own ---- */

Result<std::vector<InputChain>> chains_to_open(World &world) {
    auto chains = input_chains(world);
    if (!chains) {
        return chains.error();
    }
    for (const InputChain &chain : *chains) {
        if (chain.of_iptables) {
            return Error{ExitCode::unavailable,
                         fmt::format("the chain \"{}\" belongs to iptables, which rules of "
                                     "nftables would break",
                                     chain.text()),
                         "open the ports by hand: iptables -I INPUT -p tcp --dport 4793 -j ACCEPT"};
        }
    }
    return chains;
}

Result<bool> is_open(World &world, const InputChain &chain, const OpenPort &port) {
    auto listed = world.processes.run(
        {"nft", "-j", "-a", "list", "chain", chain.family, chain.table, chain.name});
    if (!listed) {
        return listed.error();
    }
    if (!listed->good()) {
        return Error{ExitCode::failed, fmt::format("the chain \"{}\" cannot be read: {}",
                                                   chain.text(), listed->last_words())};
    }
    auto rules = parse_rules_of(port, listed->out);
    if (!rules) {
        return rules.error();
    }
    return !rules->empty();
}

// The rules that the file has, with those that are added.
Result<std::string> file_text(const World &world, const std::vector<std::string> &rules) {
    auto there = read_small_file(world.places.nft_rules());
    if (!there) {
        return there.error();
    }
    std::string text = *there && is_ours(**there) ? **there : our_header("firewall open");
    for (const std::string &rule : rules) {
        if (text.find(rule + "\n") == std::string::npos) {
            text += rule + "\n";
        }
    }
    return text;
}

Result<void> plan_nft_file(World &world, const std::vector<std::string> &rules, ChangeSet &set) {
    auto text = file_text(world, rules);
    if (!text) {
        return text.error();
    }
    if (auto good = set.write(world.places.nft_rules(), *text); !good) {
        return good.error();
    }
    const std::string read = "-/usr/sbin/nft -f /etc/causeway/firewall.nft";
    const std::string dropin = our_header("firewall open") +
                               fmt::format("[Service]\nExecStartPost={0}\nExecReload={0}\n", read);
    if (auto good = set.write(
            world.places.units() / "nftables.service.d" / "causeway-firewall.conf", dropin);
        !good) {
        return good.error();
    }
    set.reload_systemd(world);
    return {};
}

Result<void> plan_nftables(World &world, const Arguments &arguments, ChangeSet &set) {
    auto chains = chains_to_open(world);
    if (!chains) {
        return chains.error();
    }
    std::vector<std::string> rules;
    for (const InputChain &chain : *chains) {
        for (const OpenPort &port : wanted_ports(arguments)) {
            rules.push_back(fmt::format("insert rule {} {}", chain.text(), nft_rule(port)));
            auto open = is_open(world, chain, port);
            if (!open) {
                return open.error();
            }
            if (!*open) {
                set.add(change_firewall_rule(chain.text(), port));
            }
        }
    }
    return plan_nft_file(world, rules, set);
}

Result<void> plan(World &world, Firewall firewall, const Arguments &arguments, ChangeSet &set) {
    switch (firewall) {
    case Firewall::firewalld:
        return plan_firewalld(world, arguments, set);
    case Firewall::ufw:
        return plan_ufw(world, arguments, set);
    case Firewall::nftables:
        break;
    }
    return plan_nftables(world, arguments, set);
}

std::string title(const Arguments &arguments) {
    std::string text = "firewall open";
    for (const char *what : {"disks", "nfs", "soft"}) {
        text += arguments.has(what) ? fmt::format(" --{}", what) : "";
    }
    return text;
}

} // namespace

Result<Answer> run_firewall_open(World &world, const Arguments &arguments) {
    auto found = choose(world, arguments);
    if (!found) {
        return found.error();
    }
    ChangeSet set(title(arguments));
    if (!*found) {
        return carry_out(world, {arguments.dry_run()}, set, "no firewall runs here");
    }
    const Firewall firewall = **found;
    if (arguments.has("zone") && firewall != Firewall::firewalld) {
        return Error{ExitCode::usage,
                     fmt::format("--zone is for firewalld, here runs {}", firewall_name(firewall)),
                     "leave it out"};
    }
    if (auto good = plan(world, firewall, arguments, set); !good) {
        return good.error();
    }
    auto answer =
        carry_out(world, {arguments.dry_run()}, set,
                  fmt::format("the ports are open in {} already", firewall_name(firewall)));
    if (!answer) {
        return answer;
    }
    answer->json["firewall"] = firewall_name(firewall);
    answer->json["ports"] = Json::array();
    for (const OpenPort &port : wanted_ports(arguments)) {
        answer->json["ports"].push_back(port.text());
    }
    const bool nft = firewall == Firewall::nftables;
    if (nft && systemd_runs(world) && !set.empty()) {
        auto enabled = world.processes.run({"systemctl", "is-enabled", "nftables.service"});
        if (enabled && !enabled->good()) {
            answer->warnings.emplace_back(
                "nftables.service is not enabled: whatever else loads the rules at boot has to "
                "read /etc/causeway/firewall.nft after them");
        }
    }
    return answer;
}

} // namespace causeway
