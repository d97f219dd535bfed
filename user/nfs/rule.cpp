// SPDX-License-Identifier: GPL-2.0-or-later
// nfs rule add, remove, list: rules for the local addresses from which mounts connect.
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/dropins.h"
#include "nfs/answer.h"
#include "nfs/rules.h"
#include "nfs/transport.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

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

// If the kernel's own module is loaded, Causeway's cannot be. This error reports that; modprobe's
// does not.
Result<void> need_transport(World &world, ChangeSet &set) {
    if (!world.modules.loaded(module_rpcrdma) && world.modules.loaded(module_in_tree_rpcrdma)) {
        auto state = TRY(read_transport(world));
        return Error{ExitCode::try_again,
                     "rules are for Causeway's NFS transport, and the kernel's own is loaded: "
                     "rpcrdma",
                     state.configured == NfsTransport::causeway
                         ? way_out(state)
                         : "choose Causeway's first: causeway nfs transport causeway"};
    }
    // Mounts and other rules will need the module, so undo does not unload it.
    if (!world.modules.loaded(module_rpcrdma)) {
        set.add(change_module(module_rpcrdma, false));
    }
    return {};
}

// Adds the change of the kernel's rule and, if @in_file, of its file.
Result<void> plan_rule(World &world, const NfsRule &rule, bool in_file, ChangeSet &set) {
    auto rules = TRY(world.kernel.nfs_rules());
    NfsRule now = find_rule(rules, rule.network).value_or(NfsRule{rule.network, {}});
    if (now != rule) {
        set.add(change_nfs_rule(std::move(now), rule));
    }
    if (!in_file) {
        return {};
    }
    FileState file;
    if (!rule.from.empty()) {
        file.content = dropin_text(rule);
    }
    return set.describe(dropin_place(world.places, rule), std::move(file));
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
    ChangeSet set(fmt::format("nfs rule add {}", rule.network.text()));
    TRY(need_transport(world, set));
    TRY(plan_rule(world, rule, persist, set));
    auto answer = carry_out(world, {arguments.dry_run()}, set, "the rule is there");
    if (!answer || arguments.dry_run()) {
        return answer;
    }
    return said_instead(*std::move(answer),
                        Answer{rule_json(rule, true, persist),
                               fmt::format("mounts of servers in {} connect from {}\n",
                                           rule.network.text(), addresses_text(rule))});
}

Result<Answer> run_nfs_rule_remove(World &world, const Arguments &arguments) {
    auto network = TRY(parse_prefix(arguments.operands().front(), "the network"));
    ChangeSet set(fmt::format("nfs rule remove {}", network.text()));
    TRY(plan_rule(world, {network, {}}, true, set));
    auto answer = carry_out(world, {arguments.dry_run()}, set, "there is no such rule");
    if (!answer || arguments.dry_run()) {
        return answer;
    }
    Answer said;
    said.json["network"] = network.text();
    said.text = set.empty() ? fmt::format("there is no rule for {}\n", network.text())
                            : fmt::format("the rule for {} is gone\n", network.text());
    return said_instead(*std::move(answer), said);
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
            .summary = "set the local addresses from which mounts by Causeway's transport connect "
                       "to servers in a network",
            .options = {{"from", "ADDRESS...", "local addresses to connect from, 1 to 8", true},
                        no_persist},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_nfs_rule_add,
        },
        {
            .words = "nfs rule remove",
            .operands = "CIDR",
            .summary = "remove a rule, now and at boot",
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_nfs_rule_remove,
        },
        {
            .words = "nfs rule list",
            .summary = "show the rules",
            .run = run_nfs_rule_list,
        },
    };
});

} // namespace

} // namespace causeway
