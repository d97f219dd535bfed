// SPDX-License-Identifier: GPL-2.0-or-later
// sm enable, sm disable, sm set, sm unset: opensm as a subnet manager of InfiniBand on this
// machine.
#include "change/carry_out.h"
#include "subnet/managers.h"
#include "subnet/ports.h"
#include "subnet/verbs.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace causeway {

namespace {

constexpr std::uint64_t most_priority = 15; // IBA 14.2.5.13 (SMInfo): four bits
constexpr std::uint64_t longest_sweep = 86400;

const std::vector<std::string> &routing_engines() {
    static const std::vector<std::string> engines = {"minhop", "updn",   "dnup", "file",
                                                     "ftree",  "lash",   "dor",  "torus-2QoS",
                                                     "nue",    "dfsssp", "sssp"};
    return engines;
}

// The options of "sm set", and opensm's names for these settings.
struct SettingOption {
    std::string_view option;
    const char *key;
};
constexpr std::array<SettingOption, 4> setting_options{{{"priority", "sm_priority"},
                                                        {"sweep", "sweep_interval"},
                                                        {"routing", "routing_engine"},
                                                        {"subnet-prefix", "subnet_prefix"}}};

using Values = std::map<std::string, std::string>;

Result<Values> parse_values(const Arguments &arguments) {
    Values values;
    auto priority = TRY(arguments.number("priority", 0, most_priority));
    if (priority) {
        values["sm_priority"] = fmt::format("{}", *priority);
    }
    auto sweep = TRY(arguments.number("sweep", 0, longest_sweep));
    if (sweep) {
        values["sweep_interval"] = fmt::format("{}", *sweep);
    }
    if (const auto engine = arguments.text("routing")) {
        const auto &engines = routing_engines();
        if (std::find(engines.begin(), engines.end(), *engine) == engines.end()) {
            return Error{ExitCode::usage,
                         fmt::format("'{}' is no routing engine of opensm", *engine),
                         fmt::format("give one of {}", fmt::join(engines, ", "))};
        }
        values["routing_engine"] = *engine;
    }
    if (const auto typed = arguments.text("subnet-prefix")) {
        auto prefix = TRY(parse_subnet_prefix(*typed));
        values["subnet_prefix"] = prefix;
    }
    return values;
}

Result<Answer> run_sm_enable(World &world, const Arguments &arguments) {
    auto values = TRY(parse_values(arguments));
    auto package = TRY(need_opensm(world));
    auto ports = TRY(choose_ports(subnet_ports(world.files), arguments.operands()));
    const Managers before = TRY(read_managers(world.places));
    Managers after = before;
    std::vector<std::string> idle;
    std::vector<std::string> named;
    std::vector<std::string> added;
    for (const SubnetPort &port : ports) {
        const bool running = opensm_runs(world, package, port.guid);
        // An opensm that runs here may be a standby already.
        if (port.managed_elsewhere() && !running && !arguments.has("standby")) {
            return Error{ExitCode::failed,
                         fmt::format("another subnet manager, at LID {}, answers on {}",
                                     port.sm_lid, port.text()),
                         "one is enough; to be ready where that one fails: --standby"};
        }
        if (std::find(named.begin(), named.end(), port.guid) != named.end()) {
            continue;
        }
        named.push_back(port.guid);
        if (!running) {
            idle.push_back(port.guid);
        }
        if (after.find(port.guid) == nullptr) {
            after.ports.push_back({port.guid, {}, std::nullopt});
            added.push_back(port.guid);
        }
    }
    // The other subnet manager stays the master, unless its priority is 0 too and its GUID higher.
    // Managers that were enabled before, and that the command does not name, keep their priority.
    const bool stands_by = arguments.has("standby") && values.find("sm_priority") == values.end();
    if (stands_by && (before.ports.empty() || !arguments.operands().empty())) {
        values["sm_priority"] = "0";
    } else if (stands_by && !added.empty()) {
        after.set(added, "sm_priority", "0");
    }
    for (const auto &[key, value] : values) {
        after.set(arguments.operands().empty() ? std::vector<std::string>() : named, key, value);
    }
    after.partitions = with_default(std::move(after.partitions));
    auto answer = carry_managers(
        world, arguments.dry_run(), title_with_ports("sm enable", arguments.operands()), package,
        before, after, fmt::format("opensm runs on {} already", fmt::join(named, ", ")), idle);
    if (answer) {
        answer->json["ports"] = after.guids();
    }
    return answer;
}

Result<Answer> run_sm_disable(World &world, const Arguments &arguments) {
    const OpensmPackage package = opensm_package(world.places);
    const Managers before = TRY(read_managers(world.places));
    auto named =
        TRY(choose_enabled(subnet_ports(world.files), before.guids(), arguments.operands(), true));
    if (arguments.operands().empty()) {
        named = before.guids();
    }
    if (named.empty()) {
        auto answer = carry_out(world, {arguments.dry_run()}, ChangeSet("sm disable"),
                                arguments.operands().empty()
                                    ? "causeway enabled no subnet manager on this machine"
                                    : fmt::format("causeway enabled no subnet manager on {}",
                                                  fmt::join(arguments.operands(), ", ")));
        if (answer && before.ports.empty() && opensm_service_runs(world)) {
            answer->warnings.emplace_back("opensm runs as its package configures it; to end this: "
                                          "systemctl disable --now opensm.service");
        }
        return answer;
    }
    Managers after = before;
    const auto leaves = [&](const ManagedPort &port) {
        return std::find(named.begin(), named.end(), port.guid) != named.end();
    };
    after.ports.erase(std::remove_if(after.ports.begin(), after.ports.end(), leaves),
                      after.ports.end());
    auto answer = carry_managers(world, arguments.dry_run(),
                                 title_with_ports("sm disable", arguments.operands()), package,
                                 before, after, "no subnet manager is enabled there");
    if (answer) {
        answer->json["ports"] = after.guids();
    }
    return answer;
}

// Returns the GUIDs that the operands of a verb name; none for all ports.
Result<std::vector<std::string>> named_ports(const World &world, const Managers &managers,
                                             const Arguments &arguments) {
    return choose_enabled(subnet_ports(world.files), managers.guids(), arguments.operands());
}

Result<Answer> run_sm_set(World &world, const Arguments &arguments) {
    auto values = TRY(parse_values(arguments));
    if (values.empty()) {
        return Error{ExitCode::usage, "there is nothing to set",
                     "give --priority, --sweep, --routing or --subnet-prefix"};
    }
    auto package = TRY(need_opensm(world));
    const Managers before = TRY(need_managers(world));
    const auto guids = TRY(named_ports(world, before, arguments));
    Managers after = before;
    for (const auto &[key, value] : values) {
        after.set(guids, key, value);
    }
    return carry_managers(world, arguments.dry_run(),
                          title_with_ports("sm set", arguments.operands()), package, before, after,
                          "opensm has these settings already");
}

Result<Answer> run_sm_unset(World &world, const Arguments &arguments) {
    std::vector<const char *> keys;
    for (const SettingOption &each : setting_options) {
        if (arguments.has(each.option)) {
            keys.push_back(each.key);
        }
    }
    if (keys.empty() && !arguments.has("partitions")) {
        return Error{ExitCode::usage, "there is nothing to unset",
                     "give --priority, --sweep, --routing, --subnet-prefix or --partitions"};
    }
    auto package = TRY(need_opensm(world));
    const Managers before = TRY(need_managers(world));
    const auto guids = TRY(named_ports(world, before, arguments));
    Managers after = before;
    for (const char *key : keys) {
        after.unset(guids, key);
    }
    for (ManagedPort &port : after.ports) {
        const bool named =
            guids.empty() || std::find(guids.begin(), guids.end(), port.guid) != guids.end();
        if (named && arguments.has("partitions")) {
            port.partitions.reset();
        }
    }
    return carry_managers(world, arguments.dry_run(),
                          title_with_ports("sm unset", arguments.operands()), package, before,
                          after, "these settings are as opensm and its package have them");
}

constexpr OptionSpec priority_option{
    "priority", "0-15", "priority; the subnet manager with the highest one is the master"};
constexpr OptionSpec sweep_option{"sweep", "SECONDS",
                                  "time between two searches for changes; 0: never"};
constexpr OptionSpec routing_option{"routing", "ENGINE",
                                    "minhop, updn, ftree, ...: opensm(8) explains"};
constexpr OptionSpec prefix_option{
    "subnet-prefix", "PREFIX",
    "upper 64 bits of the GIDs of this subnet, such as fec0:0:0:1; two "
    "subnets of one machine need different ones"};

const VerbRows sm_rows(Section::host, 9, [] {
    return std::vector<Verb>{
        {
            .words = "sm enable",
            .operands = manager_operands,
            .summary = "run a subnet manager on the given InfiniBand ports or on all, now and at "
                       "every boot; those that are enabled stay",
            .options = {{"standby", "",
                         "stand by for another subnet manager, and take over if it fails; by "
                         "default with priority 0"},
                        priority_option,
                        sweep_option,
                        routing_option,
                        prefix_option},
            .most_operands = 64,
            .changes = true,
            .run = run_sm_enable,
        },
        {
            .words = "sm disable",
            .operands = manager_operands,
            .summary = "stop the subnet managers on the given ports or on all, and remove their "
                       "files",
            .most_operands = 64,
            .changes = true,
            .run = run_sm_disable,
        },
        {
            .words = "sm set",
            .operands = manager_operands,
            .summary = "change the settings of the subnet managers on the given ports or on all, "
                       "and restart them",
            .options = {priority_option, sweep_option, routing_option, prefix_option},
            .most_operands = 64,
            .changes = true,
            .run = run_sm_set,
        },
        {
            .words = "sm unset",
            .operands = manager_operands,
            .summary = "remove settings of the subnet managers on the given ports or on all, and "
                       "restart them",
            .options = {{"priority", "", "the default priority"},
                        {"sweep", "", "the default time between two searches"},
                        {"routing", "", "the default routing engine"},
                        {"subnet-prefix", "", "the default subnet prefix, fe80::"},
                        {"partitions", "",
                         "the partitions of all ports, in place of partitions of its own"}},
            .most_operands = 64,
            .changes = true,
            .run = run_sm_unset,
        },
        sm_status_verb(),
    };
});

} // namespace

} // namespace causeway
