// SPDX-License-Identifier: GPL-2.0-or-later
// nfs rule add, set, remove, list: rules for the local addresses from which mounts connect.
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/dropins.h"
#include "nfs/answer.h"
#include "nfs/rules.h"
#include "nfs/transport.h"
#include "show/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

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

// The rule for a network, in the kernel and in its file. A rule without addresses: there is none.
struct RuleNow {
    NfsRule running;
    NfsRule stored;
};

Result<RuleNow> rule_now(World &world, const Prefix &network) {
    RuleNow now{{network, {}}, {network, {}}};
    // The kernel's rules end when the module is unloaded.
    if (world.modules.loaded(module_rpcrdma)) {
        now.running = find_rule(TRY(world.kernel.nfs_rules()), network).value_or(now.running);
    }
    const auto folder = TRY(load_nfs_rules(world.places));
    for (const Stored<NfsRule> &one : folder.good) {
        if (one.settings.network == network) {
            now.stored = one.settings;
        }
    }
    return now;
}

std::string words_of_rule(const char *verb, const NfsRule &rule) {
    std::vector<std::string> addresses;
    for (const SocketAddress &address : rule.from) {
        addresses.push_back(address.host_text());
    }
    return fmt::format("causeway nfs rule {} {} --from {}", verb, rule.network.text(),
                       fmt::join(addresses, ","));
}

// Returns an error if there is a rule with other addresses.
Result<void> expect_same(World &world, const NfsRule &rule) {
    const RuleNow now = TRY(rule_now(world, rule.network));
    for (const NfsRule &each : {now.running, now.stored}) {
        if (!each.from.empty() && each != rule) {
            return Error{ExitCode::failed,
                         fmt::format("there is a rule for {} already, with other addresses: {}, "
                                     "not {}",
                                     rule.network.text(), addresses_text(each),
                                     addresses_text(rule)),
                         "change it: " + words_of_rule("set", rule)};
        }
    }
    return {};
}

Result<void> expect_rule(World &world, const NfsRule &rule) {
    const RuleNow now = TRY(rule_now(world, rule.network));
    if (!now.running.from.empty() || !now.stored.from.empty()) {
        return {};
    }
    return Error{ExitCode::unavailable, fmt::format("there is no rule for {}", rule.network.text()),
                 "add it: " + words_of_rule("add", rule)};
}

Result<Answer> put_rule(World &world, const Arguments &arguments, const char *verb,
                        Result<void> (*check)(World &, const NfsRule &)) {
    auto rule = TRY(rule_of(arguments));
    const bool persist = !arguments.has("no-persist");
    ChangeSet set(fmt::format("nfs rule {} {}", verb, rule.network.text()));
    TRY(check(world, rule));
    TRY(need_transport(world, set));
    TRY(plan_rule(world, rule, persist, set));
    auto answer = carry_out(world, {arguments.dry_run()}, set, "the rule is there");
    if (!answer || arguments.dry_run()) {
        return answer;
    }
    const bool stored = !TRY(rule_now(world, rule.network)).stored.from.empty();
    return said_instead(*std::move(answer),
                        Answer{rule_json(rule, true, stored),
                               fmt::format("mounts of servers in {} connect from {}\n",
                                           rule.network.text(), addresses_text(rule))});
}

Result<Answer> run_nfs_rule_add(World &world, const Arguments &arguments) {
    return put_rule(world, arguments, "add", expect_same);
}

Result<Answer> run_nfs_rule_set(World &world, const Arguments &arguments) {
    return put_rule(world, arguments, "set", expect_rule);
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
    if (answer.text.empty()) {
        answer.text = "there is no rule: mounts connect from the address that routing chooses\n";
    }
    return answer;
}

const VerbRows rule_rows(Section::nfs, 6, [] {
    return std::vector<Verb>{
        {
            .words = "nfs rule add",
            .operands = "CIDR",
            .summary = "give the local addresses from which mounts by Causeway's transport connect "
                       "to servers in a network",
            .options = {{"from", "ADDRESS...", "local addresses to connect from, 1 to 8", true},
                        no_persist},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_nfs_rule_add,
        },
        {
            .words = "nfs rule set",
            .operands = "CIDR",
            .summary = "change the local addresses of a rule",
            .options = {{"from", "ADDRESS...", "local addresses to connect from, 1 to 8", true},
                        no_persist},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_nfs_rule_set,
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
