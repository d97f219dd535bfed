// SPDX-License-Identifier: GPL-2.0-or-later
#include "verbs/server_life.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

Result<InstanceSight> read_instance(World &world) {
    InstanceSight sight;
    auto record = load_instance(world.places);
    if (!record) {
        return record.error();
    }
    auto server = world.kernel.server();
    if (!server) {
        return server.error();
    }
    auto exports = world.kernel.exports();
    if (!exports) {
        return exports.error();
    }
    sight.record = *record;
    sight.kernel = *server ? (*server)->instance : Uuid();
    sight.exports = std::any_of(exports->begin(), exports->end(),
                                [](const ExportInfo &info) { return !info.ending; });
    sight.boot = world.boot;
    return sight;
}

} // namespace

Result<FileLock> lock_server(const World &world) {
    return FileLock::take(world.places.lock());
}

Result<FileLock> lock_server_within(World &world, std::chrono::seconds limit) {
    constexpr std::chrono::milliseconds between_tries{200};
    const auto deadline = world.clock.now() + limit;
    for (;;) {
        auto lock = FileLock::take_now(world.places.lock());
        if (!lock) {
            return lock.error();
        }
        if (*lock) {
            return **std::move(lock);
        }
        if (world.clock.now() >= deadline) {
            return Error{ExitCode::try_again,
                         fmt::format("another command has changed exports for more than {} s",
                                     limit.count())};
        }
        world.clock.sleep(between_tries);
    }
}

Result<void> start_life(World &world) {
    auto sight = read_instance(world);
    if (!sight) {
        return sight.error();
    }
    InstancePlan plan = plan_start(*sight);
    if (plan.new_instance) {
        plan.write->instance = Uuid::random();
    }
    if (plan.write) {
        if (auto stored = store_instance(world.places, *plan.write); !stored) {
            return stored;
        }
    }
    return plan.tell_kernel ? world.kernel.set_instance(plan.write->instance) : Result<void>();
}

Result<StopOutcome> end_life(World &world) {
    StopOutcome outcome;
    auto sight = read_instance(world);
    if (!sight) {
        return sight.error();
    }
    auto exports = world.kernel.exports();
    if (!exports) {
        return exports.error();
    }
    outcome.exports = exports->size();
    if (sight->kernel.is_nil() && !sight->exports) {
        return outcome;
    }
    auto report = world.kernel.stop_server();
    if (!report) {
        return report.error();
    }
    outcome.report = *std::move(report);
    const bool clean = outcome.report.clean;
    if (!clean) {
        // The target may stay loaded and keep its instance; what was lost must still show at the
        // next start.
        if (auto removed = remove_durably(world.places.instance()); !removed) {
            return removed.error();
        }
    }
    if (const auto record = plan_stop(*sight, clean)) {
        if (auto stored = store_instance(world.places, *record); !stored) {
            return stored.error();
        }
    }
    return outcome;
}

} // namespace causeway
