// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/server_life.h"

#include "base/disk_name.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>

namespace causeway {

namespace {

Result<InstanceState> read_instance(World &world) {
    InstanceState state;
    auto record = TRY(load_instance(world.places));
    auto server = TRY(world.kernel.server());
    auto exports = TRY(world.kernel.exports());
    state.record = record;
    state.kernel = server ? server->instance : Uuid();
    state.exports = std::any_of(exports.begin(), exports.end(),
                                [](const ExportInfo &info) { return !info.ending; });
    state.boot = world.boot;
    return state;
}

// Sends the limits of the settings to the module causeway. Limits without a value stay.
Result<void> set_server_limits(World &world, const ServerSettings &settings) {
    for (const ServerLimit &limit : server_limits) {
        if (const auto number = settings.*limit.value) {
            TRY(world.files.write(parameter_file(limit), fmt::format("{}", *number)));
        }
    }
    return {};
}

} // namespace

Result<FileLock> lock_server(const World &world) {
    return FileLock::take(world.places.lock());
}

Result<FileLock> lock_server_within(World &world, std::chrono::seconds limit) {
    constexpr std::chrono::milliseconds between_tries{200};
    const auto deadline = world.clock.now() + limit;
    for (;;) {
        auto lock = TRY(FileLock::take_now(world.places.lock()));
        if (lock) {
            return *std::move(lock);
        }
        if (world.clock.now() >= deadline) {
            return Error{ExitCode::try_again,
                         fmt::format("another command has changed exports for more than {} s",
                                     limit.count())};
        }
        world.clock.sleep(between_tries);
    }
}

std::string port_stays(std::uint16_t port, const ServerSettings &settings) {
    return fmt::format("the server goes on listening on port {}, not {}: the module "
                       "causeway_target keeps its port until it is unloaded",
                       port, settings.port.value_or(default_port));
}

Result<std::string> set_server_port(World &world, const ServerSettings &settings) {
    const auto server = TRY(world.kernel.server());
    const std::uint16_t wanted = settings.port.value_or(default_port);
    if (!server || server->port == wanted) {
        return std::string();
    }
    auto set = world.kernel.set_port(wanted);
    if (!set && set.error().system_error != EBUSY) {
        return set.error();
    }
    return set ? std::string() : port_stays(server->port, settings);
}

Result<std::string> start_life(World &world) {
    auto state = TRY(read_instance(world));
    InstancePlan plan = plan_start(state);
    if (plan.new_instance) {
        plan.write->instance = Uuid::random();
    }
    if (plan.write) {
        TRY(store_instance(world.places, *plan.write));
    }
    if (plan.send_to_kernel) {
        TRY(world.kernel.set_instance(plan.write->instance));
    }
    // Clients need their disks, even if a line of the file is wrong.
    const auto settings = load_server_settings(world.places);
    if (!settings) {
        return fmt::format("the server keeps its port and its limits, because {} cannot be read",
                           world.places.server_settings().string());
    }
    TRY(set_server_limits(world, *settings));
    return set_server_port(world, *settings);
}

Result<StopOutcome> end_life(World &world) {
    StopOutcome outcome;
    auto state = TRY(read_instance(world));
    auto exports = TRY(world.kernel.exports());
    outcome.exports = exports.size();
    if (state.kernel.is_nil() && !state.exports) {
        return outcome;
    }
    auto report = TRY(world.kernel.stop_server());
    outcome.report = std::move(report);
    const bool clean = outcome.report.clean;
    if (!clean) {
        // The target may stay loaded and keep its instance. Without the file, the next start makes
        // a new instance, so that clients detect the loss.
        TRY(remove_durably(world.places.instance()));
    }
    if (const auto record = plan_stop(state, clean)) {
        TRY(store_instance(world.places, *record));
    }
    return outcome;
}

} // namespace causeway
