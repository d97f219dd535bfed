// SPDX-License-Identifier: GPL-2.0-or-later
// If one base chain of nftables drops a packet, the packet is lost, whatever another chain accepts.
// A table of our own would therefore open nothing: a rule goes to the head of each chain that
// closes a port.
//
// At boot these chains may differ from those of today, and some programs (fail2ban, libvirt,
// containers) make their chains later than nftables.service. A file of rules for the chains of
// today would fail as a whole if one of them is missing. So the file contains the list of ports.
// After each start and reload of nftables.service "firewall open --at-boot" adds a rule to each
// existing chain that closes a port, each rule separately. Chains that programs add later are not
// changed: they drop what they name, such as banned hosts. doctor reports one that closes a port
// (firewall-closed).
#include "firewall/open_nft.h"

#include "base/append_once.h"
#include "base/durable_file.h"
#include "config/file_header.h"
#include "firewall/rule_change.h"
#include "host/nftables.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <sstream>

namespace causeway {

namespace {

// Returns the commands for chains that Causeway does not change.
std::string iptables_commands(const std::vector<OpenPort> &ports) {
    std::vector<std::string> commands;
    for (const OpenPort &port : ports) {
        commands.push_back(fmt::format(
            "{} -I INPUT {}-p {} --dport {} -j ACCEPT", port.by_ipv6() ? "ip6tables" : "iptables",
            port.from.empty() ? "" : fmt::format("-s {} ", port.from), port.protocol, port.port));
    }
    return fmt::format("{}", fmt::join(commands, "; "));
}

struct Missing {
    std::vector<ChangePointer> rules;
    std::vector<std::string> warnings;
};

// Returns the missing rules. Chains of iptables are not changed; if only such chains close the
// ports, returns an error.
Result<Missing> missing_rules(World &world, const std::vector<OpenPort> &ports) {
    auto rules = TRY(read_nftables(world));
    Missing missing;
    bool ours = false;
    std::set<std::string> of_iptables;
    std::vector<OpenPort> by_hand;
    for (const OpenPort &port : ports) {
        auto chains = rules.closing(port);
        auto there = rules.rules_of(port);
        if (!chains || !there) {
            return chains ? there.error() : chains.error();
        }
        for (const InputChain &chain : *chains) {
            if (chain.of_iptables) {
                of_iptables.insert(chain.text());
                append_once(by_hand, port);
                continue;
            }
            ours = true;
            const bool opened =
                std::any_of(there->begin(), there->end(), [&](const PlacedRule &rule) {
                    return rule.chain.text() == chain.text();
                });
            if (!opened) {
                missing.rules.push_back(change_firewall_rule(chain.text(), port));
            }
        }
    }
    if (of_iptables.empty()) {
        return missing;
    }
    const Error by_iptables{ExitCode::unavailable,
                            fmt::format("the chain \"{}\" belongs to iptables, which rules of "
                                        "nftables would break",
                                        fmt::join(of_iptables, "\", \"")),
                            "open the ports by hand, and keep them as the other rules are kept: " +
                                iptables_commands(by_hand)};
    if (!ours) {
        return by_iptables;
    }
    missing.warnings.push_back(fmt::format("{}; {}", by_iptables.what, by_iptables.fix));
    return missing;
}

std::filesystem::path at_boot_dropin(const World &world) {
    return world.places.units() / "nftables.service.d" / "causeway-firewall.conf";
}

Result<void> plan_at_boot(World &world, const std::vector<OpenPort> &kept, ChangeSet &set) {
    std::string text = our_header("firewall open");
    for (const OpenPort &port : kept) {
        text += port.phrase() + "\n";
    }
    TRY(set.write(world.places.firewall_ports(), text));
    const std::string again = "-/usr/sbin/causeway firewall open --at-boot";
    const std::string dropin = our_header("firewall open") +
                               fmt::format("[Service]\nExecStartPost={0}\nExecReload={0}\n", again);
    TRY(set.write(at_boot_dropin(world), dropin));
    set.reload_systemd(world);
    return {};
}

} // namespace

Result<std::vector<OpenPort>> kept_ports(const World &world) {
    std::vector<OpenPort> ports;
    auto text = TRY(read_small_file(world.places.firewall_ports()));
    std::istringstream lines(text.value_or(""));
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.front() == '#') {
            continue;
        }
        auto port = parse_open_port(line);
        if (!port) {
            Error error = port.error();
            error.what = fmt::format("{}: {}", world.places.firewall_ports().string(), error.what);
            return error;
        }
        ports.push_back(*port);
    }
    return ports;
}

Result<std::vector<std::string>> plan_nftables(World &world, const std::vector<OpenPort> &ports,
                                               ChangeSet &set) {
    auto missing = TRY(missing_rules(world, ports));
    auto kept = TRY(kept_ports(world));
    for (const OpenPort &port : ports) {
        if (std::find(kept.begin(), kept.end(), port) == kept.end()) {
            // Undo of this change removes the rules that "--at-boot" adds for the port.
            set.add(change_firewall_rule("", port));
        }
    }
    for (ChangePointer &rule : missing.rules) {
        set.add(std::move(rule));
    }
    for (const OpenPort &port : ports) {
        append_once(kept, port);
    }
    TRY(plan_at_boot(world, kept, set));
    return std::move(missing.warnings);
}

Result<void> plan_close_nftables(World &world, const std::vector<OpenPort> &ports, ChangeSet &set) {
    if (ports.empty()) {
        return {};
    }
    if (world.processes.there("nft")) {
        auto rules = TRY(read_nftables(world));
        for (const OpenPort &port : ports) {
            auto placed = TRY(rules.rules_of(port));
            std::vector<std::string> chains;
            for (const PlacedRule &rule : placed) {
                append_once(chains, rule.chain.text());
            }
            for (const std::string &chain : chains) {
                set.add(remove_firewall_rule(chain, port));
            }
        }
    }
    auto kept = TRY(kept_ports(world));
    kept.erase(std::remove_if(kept.begin(), kept.end(),
                              [&](const OpenPort &each) {
                                  return std::find(ports.begin(), ports.end(), each) != ports.end();
                              }),
               kept.end());
    if (!kept.empty()) {
        return plan_at_boot(world, kept, set);
    }
    TRY(set.remove(world.places.firewall_ports()));
    TRY(set.remove(at_boot_dropin(world)));
    set.reload_systemd(world);
    return {};
}

Result<Answer> open_kept_ports(World &world) {
    auto ports = TRY(kept_ports(world));
    Answer answer;
    answer.json = {{"opened", Json::array()}};
    if (ports.empty()) {
        return answer;
    }
    auto missing = TRY(missing_rules(world, ports));
    answer.warnings = std::move(missing.warnings);
    for (const ChangePointer &rule : missing.rules) {
        if (auto done = rule->forward(world); done) {
            answer.json["opened"].push_back(rule->subject());
            answer.text += rule->report(Direction::forward) + "\n";
        } else {
            answer.warnings.push_back(
                fmt::format("{} stays closed: {}", rule->subject(), done.error().what));
            answer.code = done.error().code;
        }
    }
    return answer;
}

} // namespace causeway
