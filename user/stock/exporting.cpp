// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/exporting.h"

#include "base/append_once.h"
#include "base/durable_file.h"
#include "config/file_header.h"
#include "stock/transport.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view probe_start = "# probe ";

fs::path settings_place(const World &world, const std::string &name) {
    return world.places.stock_running_exports() / (name + dropin_suffix);
}

fs::path steps_place(const World &world, const std::string &name) {
    return world.places.stock_running_exports() / (name + ".steps");
}

std::string record_text(const TargetPlan &plan) {
    return fmt::format("{}{}{}\n{}", our_header("export add"), probe_start, plan.probe,
                       steps_text(plan.steps));
}

Result<TargetPlan> parse_record(const std::string &text) {
    const std::size_t start = text.find(probe_start);
    if (start == std::string::npos) {
        return Error{ExitCode::bad_config, "it names no folder of configfs"};
    }
    const std::size_t from = start + probe_start.size();
    TargetPlan plan{text.substr(from, text.find('\n', from) - from), {}};
    plan.steps = TRY(parse_steps(text));
    return plan;
}

// Returns none if there is no record of this export or its folder in configfs does not exist.
Result<std::optional<TargetPlan>> record_of(World &world, const std::string &name) {
    const fs::path place = steps_place(world, name);
    auto text = TRY(read_small_file(place));
    if (!text) {
        return std::optional<TargetPlan>();
    }
    auto plan = parse_record(*text);
    if (!plan) {
        return Error{ExitCode::bad_config,
                     fmt::format("{}: {}", place.string(), plan.error().what)};
    }
    return world.files.has_folder(plan->probe) ? std::optional(*std::move(plan))
                                               : std::optional<TargetPlan>();
}

// The shared folders that Causeway made for any of its exports.
Result<std::set<std::string>> made_by_us(World &world) {
    std::set<std::string> paths;
    auto records = TRY(conf_files(world.places.stock_running_exports()));
    for (const fs::path &place : records) {
        auto made = TRY(record_of(world, place.stem().string()));
        for (const ConfigStep &step : made ? made->steps : std::vector<ConfigStep>()) {
            if (step.shared) {
                paths.insert(step.path);
            }
        }
    }
    return paths;
}

// Removes the shared folders that another program made from the plan, so that ending the export
// does not remove them.
Result<void> leave_out_others(World &world, TargetPlan &plan) {
    auto ours = TRY(made_by_us(world));
    const auto made_by_another = [&](const ConfigStep &step) {
        return step.shared && step.kind == ConfigStep::Kind::folder &&
               world.files.has_folder(step.path) && ours.count(step.path) == 0;
    };
    plan.steps.erase(std::remove_if(plan.steps.begin(), plan.steps.end(), made_by_another),
                     plan.steps.end());
    return {};
}

void mount_configfs(World &world, ChangeSet &set) {
    const auto table = world.files.read("/proc/self/mountinfo");
    const bool mounted =
        table && *table && (*table)->find(fmt::format(" {} ", configfs)) != std::string::npos;
    if (!mounted) {
        set.load(world, "configfs");
        set.add(change_program({"mount", "-t", "configfs", "configfs", configfs}, {}));
    }
}

std::string subject_of(const StockExport &settings) {
    return fmt::format("the export '{}' by {}", settings.name, via_title(settings.via));
}

void report_broken(const Folder<StockExport> &folder, std::vector<std::string> &warnings) {
    for (const Error &broken : folder.broken) {
        warnings.push_back(broken.what);
    }
}

Result<void> add_folder(World &world, const Folder<StockExport> &folder, bool persistent,
                        std::vector<StockExportState> &states) {
    for (const auto &stored : folder.good) {
        const std::string &name = stored.settings.name;
        auto known = std::find_if(states.begin(), states.end(), [&](const StockExportState &each) {
            return each.settings.name == name;
        });
        if (known == states.end()) {
            auto made = TRY(record_of(world, name));
            // A record is stale if the folder of its export does not exist.
            if (!made && !persistent) {
                continue;
            }
            states.push_back(
                {stored.settings, made.has_value(), false, made.value_or(TargetPlan())});
            known = states.end() - 1;
        }
        known->persistent = known->persistent || persistent;
    }
    return {};
}

} // namespace

Result<std::vector<StockExportState>> stock_exports(World &world,
                                                    std::vector<std::string> &warnings) {
    auto configured = TRY(load_stock_exports(world.places));
    report_broken(configured, warnings);
    return stock_exports(world, configured, warnings);
}

Result<std::vector<StockExportState>> stock_exports(World &world,
                                                    const Folder<StockExport> &configured,
                                                    std::vector<std::string> &warnings) {
    std::vector<StockExportState> states;
    auto running = TRY(load_folder<StockExport>(
        world.places.stock_running_exports(), [](const fs::path &place, const std::string &text) {
            return parse_stock_export(place.string(), place.stem().string(), text);
        }));
    report_broken(running, warnings);
    TRY(add_folder(world, running, false, states));
    TRY(add_folder(world, configured, true, states));
    std::sort(states.begin(), states.end(),
              [](const StockExportState &one, const StockExportState &other) {
                  return one.settings.name < other.settings.name;
              });
    return states;
}

Result<std::optional<StockExportState>> find_stock_export(World &world, const std::string &name) {
    std::vector<std::string> others;
    auto states = TRY(stock_exports(world, others));
    for (StockExportState &state : states) {
        if (state.settings.name == name) {
            return std::optional(std::move(state));
        }
    }
    return std::optional<StockExportState>();
}

std::vector<OpenPort> ports_of(const StockExport &settings,
                               const std::vector<RdmaDevice> &devices) {
    std::vector<OpenPort> ports;
    const StockTransport::Row &row = stock_transport(settings.via).row();
    for (const SocketAddress &each : portals_of(settings)) {
        const std::uint16_t portal = each.port() != 0 ? each.port() : via_port(settings.via);
        for (OpenPort &port :
             row.uses_rdma ? rdma_ports(devices, portal) : std::vector<OpenPort>()) {
            append_once(ports, std::move(port));
        }
        if (row.uses_tcp) {
            append_once(ports, OpenPort{"tcp", portal});
        }
    }
    return ports;
}

Result<std::vector<ConfigStep>> without_needed(World &world, const std::string &probe,
                                               std::vector<ConfigStep> steps) {
    std::set<std::string> needed;
    for (const fs::path &place : TRY(conf_files(world.places.stock_running_exports()))) {
        auto other = TRY(record_of(world, place.stem().string()));
        if (other && other->probe != probe) {
            for (const ConfigStep &step : other->steps) {
                needed.insert(step.path);
            }
        }
    }
    steps.erase(std::remove_if(steps.begin(), steps.end(),
                               [&](const ConfigStep &step) {
                                   return step.shared && needed.count(step.path) != 0;
                               }),
                steps.end());
    return steps;
}

Result<void> add_record(World &world, ChangeSet &set, const StockExport &settings,
                        const TargetPlan &made) {
    auto text = TRY(stock_text(settings));
    TRY(set.write(settings_place(world, settings.name), text));
    return set.write(steps_place(world, settings.name), record_text(made));
}

Result<void> add_bring_up(World &world, ChangeSet &set, const StockExport &settings) {
    auto plan = TRY(plan_target(world.files, settings));
    TRY(leave_out_others(world, plan));
    mount_configfs(world, set);
    for (const std::string &module : target_modules(settings)) {
        set.load(world, module);
    }
    // The record is written before the export is made, so that what a power cut or an error leaves
    // behind is on record.
    TRY(add_record(world, set, settings, plan));
    set.add(change_configfs(subject_of(settings), plan.probe, plan.steps, true));
    return {};
}

Result<void> add_take_down(World &world, ChangeSet &set, const StockExportState &state) {
    set.add(change_configfs(subject_of(state.settings), state.made.probe, state.made.steps, false));
    TRY(set.remove(steps_place(world, state.settings.name)));
    return set.remove(settings_place(world, state.settings.name));
}

} // namespace causeway
