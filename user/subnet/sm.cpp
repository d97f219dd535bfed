// SPDX-License-Identifier: GPL-2.0-or-later
// sm enable, sm set, sm status: opensm as a subnet manager of InfiniBand on this machine.
#include "base/durable_file.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "show/table.h"
#include "subnet/opensm.h"
#include "subnet/partitions.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

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

Result<OpensmPackage> need_opensm(const World &world) {
    const OpensmPackage package = opensm_package(world.places);
    if (package == OpensmPackage::none) {
        return Error{ExitCode::unavailable, "opensm is not installed: there is no opensm.service",
                     "apt install opensm, or: dnf install opensm"};
    }
    if (!systemd_runs(world)) {
        return Error{ExitCode::unavailable, "systemd does not run here: it starts opensm",
                     "start opensm(8) by hand"};
    }
    return package;
}

Error no_port(const std::string &typed, const std::vector<SubnetPort> &ports) {
    std::vector<std::string> there;
    for (const SubnetPort &each : ports) {
        there.push_back(fmt::format("{} ({})", each.text(), each.guid));
    }
    return Error{ExitCode::unavailable,
                 typed.empty() ? "this machine has no port of InfiniBand"
                               : fmt::format("there is no port {} of InfiniBand here", typed),
                 there.empty() ? "see what there is: causeway show"
                               : fmt::format("there are {}", fmt::join(there, ", "))};
}

// Returns the ports that "mlx4_0", "mlx4_0/1" or a GUID name; without words all ports.
Result<std::vector<SubnetPort>> choose_ports(const std::vector<SubnetPort> &ports,
                                             const std::vector<std::string> &typed) {
    if (ports.empty()) {
        return no_port("", ports);
    }
    if (typed.empty()) {
        return ports;
    }
    std::vector<SubnetPort> chosen;
    for (const std::string &word : typed) {
        const bool by_name = std::any_of(ports.begin(), ports.end(), [&](const SubnetPort &each) {
            return each.device == word.substr(0, word.find('/'));
        });
        std::string guid;
        if (!by_name && (word.substr(0, 2) == "0x" || word.find(':') != std::string::npos)) {
            guid = TRY(canonical_guid(word));
        }
        const std::size_t before = chosen.size();
        std::copy_if(ports.begin(), ports.end(), std::back_inserter(chosen),
                     [&](const SubnetPort &each) {
                         return each.guid == guid || each.text() == word || each.device == word;
                     });
        if (chosen.size() == before) {
            return no_port(word, ports);
        }
    }
    return chosen;
}

bool runs(World &world, OpensmPackage package) {
    auto end = world.processes.run(
        {"systemctl", "is-active", "--quiet",
         package == OpensmPackage::debian ? "opensm@*.service" : "causeway-opensm@*.service"});
    return end && end->good();
}

Result<std::map<std::string, std::string>> parse_values(const Arguments &arguments) {
    std::map<std::string, std::string> values;
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
    return values;
}

Result<void> plan_shared_files(World &world, ChangeSet &set,
                               const std::map<std::string, std::string> &values) {
    auto settings = TRY(opensm_settings(world.places, values));
    TRY(set.write(world.places.opensm_settings(), settings));
    auto text = TRY(partitions_before(world.places));
    auto rules = TRY(parse_partitions(world.places.partitions().string(), text));
    return set.write(world.places.partitions(), partitions_text(with_default(std::move(rules))));
}

Result<Answer> run_sm_enable(World &world, const Arguments &arguments) {
    auto values = TRY(parse_values(arguments));
    auto package = TRY(need_opensm(world));
    auto ports = TRY(choose_ports(subnet_ports(world.files), arguments.operands()));
    const bool running = runs(world, package);
    std::vector<std::string> guids;
    for (const SubnetPort &port : ports) {
        // An opensm that runs here may be a standby already.
        if (port.managed_elsewhere() && !running && !arguments.has("standby")) {
            return Error{ExitCode::failed,
                         fmt::format("another subnet manager, at LID {}, answers on {}",
                                     port.sm_lid, port.text()),
                         "one is enough; to be ready where that one fails: --standby"};
        }
        if (std::find(guids.begin(), guids.end(), port.guid) == guids.end()) {
            guids.push_back(port.guid);
        }
    }
    // A lower priority than opensm's default, so that the other subnet manager stays the master.
    if (arguments.has("standby") && values.find("sm_priority") == values.end()) {
        values["sm_priority"] = "0";
    }
    auto before = TRY(opensm_ports(world.places));
    ChangeSet files("");
    TRY(plan_shared_files(world, files, values));
    TRY(plan_opensm(files, world.places, package, guids));
    ChangeSet set("sm enable");
    using Programs = std::vector<std::vector<std::string>>;
    const bool starts = !files.empty() || !running;
    if (starts) {
        set.add(change_attempts({}, running ? opensm_start(package, before)
                                            : Programs{{"systemctl", "daemon-reload"}}));
    }
    TRY(plan_shared_files(world, set, values));
    TRY(plan_opensm(set, world.places, package, guids));
    if (starts) {
        set.add(change_attempts(opensm_start(package, guids), opensm_stop(package, guids)));
    }
    auto answer = carry_out(world, {arguments.dry_run()}, set,
                            fmt::format("opensm runs on {} already", fmt::join(guids, ", ")));
    if (answer) {
        answer->json["ports"] = guids;
    }
    return answer;
}

Result<Answer> run_sm_set(World &world, const Arguments &arguments) {
    auto values = TRY(parse_values(arguments));
    if (values.empty()) {
        return Error{ExitCode::usage, "there is nothing to set",
                     "give --priority, --sweep or --routing"};
    }
    auto package = TRY(need_opensm(world));
    auto guids = TRY(opensm_ports(world.places));
    if (guids.empty()) {
        return Error{ExitCode::unavailable, "no subnet manager was enabled here by causeway",
                     "causeway sm enable"};
    }
    auto settings = TRY(opensm_settings(world.places, values));
    ChangeSet probe("");
    TRY(probe.write(world.places.opensm_settings(), settings));
    ChangeSet set("sm set");
    // opensm reads priority and routing only when it starts.
    const auto restart = opensm_start(package, guids);
    if (!probe.empty()) {
        set.add(change_attempts({}, restart));
    }
    TRY(set.write(world.places.opensm_settings(), settings));
    if (!probe.empty()) {
        set.add(change_attempts(restart, {}));
    }
    return carry_out(world, {arguments.dry_run()}, set, "opensm has these settings already");
}

Result<Answer> run_sm_status(World &world, const Arguments & /*arguments*/) {
    const OpensmPackage package = opensm_package(world.places);
    auto enabled = TRY(opensm_ports(world.places));
    auto text = TRY(partitions_before(world.places));
    const bool running =
        package != OpensmPackage::none && systemd_runs(world) && runs(world, package);
    Answer answer;
    answer.json["installed"] = package != OpensmPackage::none;
    answer.json["running"] = running;
    answer.json["ports"] = Json::array();
    answer.text = package == OpensmPackage::none ? "opensm is not installed here\n"
                  : running                      ? "opensm runs here\n"
                                                 : "no service of opensm runs here\n";
    Table table({{"PORT"},
                 {"GUID"},
                 {"STATE"},
                 {"LID", Table::Align::right},
                 {"ENABLED"},
                 {"SUBNET MANAGER"}});
    for (const SubnetPort &port : subnet_ports(world.files)) {
        const bool is_enabled =
            std::find(enabled.begin(), enabled.end(), port.guid) != enabled.end();
        const std::string manager = port.sm_lid == 0           ? "none was seen"
                                    : port.managed_elsewhere() ? fmt::format("LID {}", port.sm_lid)
                                                               : "this port";
        answer.json["ports"].push_back({{"port", port.text()},
                                        {"guid", port.guid},
                                        {"state", port.state},
                                        {"lid", port.lid},
                                        {"sm_lid", port.sm_lid},
                                        {"enabled", is_enabled}});
        table.row({port.text(), port.guid, port.state, fmt::format("{}", port.lid),
                   is_enabled ? "yes" : "", manager});
    }
    answer.text += answer.json["ports"].empty() ? "this machine has no port of InfiniBand\n"
                                                : table.text(world.terminal);
    auto rules = parse_partitions(world.places.partitions().string(), text);
    answer.json["partitions"] = Json::array();
    if (!rules) {
        answer.warnings.push_back(rules.error().what);
        return answer;
    }
    Table partitions({{"P_KEY"}, {"PARTITION"}, {"SETTINGS"}, {"MEMBERS"}});
    for (const PartitionRule &rule : *rules) {
        const std::string pkey = rule.pkey ? fmt::format("0x{:04x}", *rule.pkey) : "";
        answer.json["partitions"].push_back({{"pkey", rule.pkey ? Json(pkey) : Json(nullptr)},
                                             {"name", rule.name},
                                             {"flags", rule.flags},
                                             {"members", rule.properties}});
        partitions.row({pkey, rule.name, fmt::format("{}", fmt::join(rule.flags, ", ")),
                        fmt::format("{}", fmt::join(rule.properties, ", "))});
    }
    answer.text += rules->empty() ? "" : "\n" + partitions.text(world.terminal);
    return answer;
}

constexpr OptionSpec priority{"priority", "0-15",
                              "priority; the subnet manager with the highest one is the master"};
constexpr OptionSpec sweep{"sweep", "SECONDS", "time between two searches for changes; 0: never"};
constexpr OptionSpec routing{"routing", "ENGINE", "minhop, updn, ftree, ...: opensm(8) explains"};

const VerbRows sm_rows(Section::host, 9, [] {
    return std::vector<Verb>{
        {
            .words = "sm enable",
            .operands = "[DEVICE[/PORT]|GUID...]",
            .summary = "run a subnet manager on the given InfiniBand ports or on all, now and at "
                       "every boot",
            .options = {{"standby", "",
                         "stand by for another subnet manager, and take over if it fails; by "
                         "default with priority 0"},
                        priority,
                        sweep,
                        routing},
            .most_operands = 64,
            .changes = true,
            .run = run_sm_enable,
        },
        {
            .words = "sm set",
            .summary = "change the settings of the subnet manager, and restart it",
            .options = {priority, sweep, routing},
            .changes = true,
            .run = run_sm_set,
        },
        {
            .words = "sm status",
            .summary = "show ports, their subnet manager, and the partitions",
            .run = run_sm_status,
        },
    };
});

} // namespace

} // namespace causeway
