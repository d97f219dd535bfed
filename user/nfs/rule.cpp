// SPDX-License-Identifier: GPL-2.0-or-later
// nfs rule add, remove, list: from which local addresses mounts connect.
#include "base/durable_file.h"
#include "command/plan.h"
#include "command/verb.h"
#include "config/dropins.h"
#include "nfs/transport.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

std::string addresses_text(const NfsRule &rule) {
    std::vector<std::string> words;
    for (const SocketAddress &address : rule.from) {
        words.push_back(address.host_text());
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

Result<NfsRule> rule_of(const Arguments &arguments) {
    NfsRule rule;
    auto network = TRY(parse_prefix(arguments.operands().front(), "the network"));
    rule.network = network;
    for (const std::string &text : arguments.list("from")) {
        const auto address = SocketAddress::from_text(text);
        if (!address) {
            return Error{ExitCode::usage, fmt::format("--from '{}' is not an IP address", text),
                         "give addresses of this machine, such as 10.0.0.2,10.1.0.2"};
        }
        rule.from.push_back(*address);
    }
    TRY(check_rule(rule));
    return rule;
}

std::optional<NfsRule> find_rule(const std::vector<NfsRule> &rules, const Prefix &network) {
    const auto found = std::find_if(rules.begin(), rules.end(),
                                    [&](const NfsRule &rule) { return rule.network == network; });
    return found == rules.end() ? std::nullopt : std::optional(*found);
}

// Loading ours fails where the kernel's own is loaded: say that, not what modprobe says.
Result<void> need_transport(World &world) {
    if (world.modules.loaded(module_rpcrdma)) {
        return {};
    }
    if (world.modules.loaded(module_in_tree_rpcrdma)) {
        auto sight = TRY(see_transport(world));
        return Error{ExitCode::try_again,
                     "rules are for Causeway's NFS transport, and the kernel's own is loaded: "
                     "rpcrdma",
                     sight.configured == NfsTransport::causeway
                         ? way_out(sight)
                         : "choose ours first: causeway nfs transport causeway"};
    }
    return world.modules.need(module_rpcrdma);
}

Json rule_json(const NfsRule &rule, bool running, bool persistent) {
    Json json = {{"network", rule.network.text()},
                 {"from", Json::array()},
                 {"running", running},
                 {"persistent", persistent}};
    for (const SocketAddress &address : rule.from) {
        json["from"].push_back(address.host_text());
    }
    return json;
}

Result<Answer> run_nfs_rule_add(World &world, const Arguments &arguments) {
    auto rule = TRY(rule_of(arguments));
    const bool persist = !arguments.has("no-persist");
    const auto place = dropin_place(world.places, rule);
    if (arguments.dry_run()) {
        Plan plan;
        if (persist) {
            TRY(plan.write(place, dropin_text(rule)));
        }
        plan.act(fmt::format("let mounts of servers in {} connect from {}", rule.network.text(),
                             addresses_text(rule)));
        return plan.answer();
    }
    TRY(need_transport(world));
    auto rules = TRY(world.kernel.nfs_rules());
    const bool changed = find_rule(rules, rule.network) != rule;
    if (changed) {
        TRY(world.kernel.set_nfs_rule(rule));
    }
    if (persist) {
        TRY(write_durably(place, dropin_text(rule), 0644));
    }
    Answer answer;
    answer.json = rule_json(rule, true, persist);
    answer.json["changed"] = changed;
    answer.text = fmt::format("mounts of servers in {} connect from {}\n", rule.network.text(),
                              addresses_text(rule));
    return answer;
}

Result<Answer> run_nfs_rule_remove(World &world, const Arguments &arguments) {
    auto network = TRY(parse_prefix(arguments.operands().front(), "the network"));
    auto rules = TRY(world.kernel.nfs_rules());
    const bool running = find_rule(rules, network).has_value();
    NfsRule named;
    named.network = network;
    const auto place = dropin_place(world.places, named);
    if (arguments.dry_run()) {
        Plan plan;
        TRY(plan.remove(place));
        if (running) {
            plan.act(fmt::format("forget the rule for {}", network.text()));
        }
        return plan.answer();
    }
    if (running) {
        TRY(world.kernel.remove_nfs_rule(network));
    }
    auto removed = remove_durably(place);
    if (!removed) {
        return removed.error();
    }
    Answer answer;
    answer.json = {{"network", network.text()}, {"changed", running || *removed}};
    answer.text = running || *removed ? fmt::format("the rule for {} is gone\n", network.text())
                                      : fmt::format("there is no rule for {}\n", network.text());
    return answer;
}

Result<Answer> run_nfs_rule_list(World &world, const Arguments & /*arguments*/) {
    auto running = TRY(world.kernel.nfs_rules());
    auto configured = TRY(load_nfs_rules(world.places));
    Answer answer;
    answer.json["rules"] = Json::array();
    Table table({{"SERVERS"}, {"FROM"}, {"STATE"}});
    const auto stored = [&](const Prefix &network) {
        return std::any_of(
            configured.good.begin(), configured.good.end(),
            [&](const Stored<NfsRule> &one) { return one.settings.network == network; });
    };
    for (const NfsRule &rule : running) {
        const bool persistent = stored(rule.network);
        answer.json["rules"].push_back(rule_json(rule, true, persistent));
        table.row({rule.network.text(), addresses_text(rule),
                   persistent ? "in force" : "in force until the module is unloaded"});
    }
    for (const auto &one : configured.good) {
        if (find_rule(running, one.settings.network)) {
            continue;
        }
        answer.json["rules"].push_back(rule_json(one.settings, false, true));
        table.row({one.settings.network.text(), addresses_text(one.settings),
                   "not in force: causeway restore"});
    }
    for (const Error &broken : configured.broken) {
        answer.warnings.push_back(broken.what);
    }
    answer.text = table.text(world.terminal);
    return answer;
}

const VerbRows rule_rows(Section::nfs, 5, [] {
    return std::vector<Verb>{
        {
            .words = "nfs rule add",
            .operands = "CIDR",
            .summary = "mounts of servers in this network connect from these addresses",
            .options = {{"from", "ADDRESS...", "local addresses, each another rail", true},
                        no_persist},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_nfs_rule_add,
        },
        {
            .words = "nfs rule remove",
            .operands = "CIDR",
            .summary = "forget such a rule",
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_nfs_rule_remove,
        },
        {
            .words = "nfs rule list",
            .summary = "show these rules",
            .run = run_nfs_rule_list,
        },
    };
});

} // namespace

} // namespace causeway
