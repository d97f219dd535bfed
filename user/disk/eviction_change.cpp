// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/eviction_change.h"

#include "change/kinds.h"
#include "show/progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace causeway {

namespace {

using Clock = std::chrono::steady_clock;

// The least time between two requests. The kernel itself waits about 2 s for remaining commands.
constexpr std::chrono::milliseconds pause_between(100);

const ChangeKind kind_eviction("eviction", [](const Json &json) -> ChangePointer {
    Eviction eviction;
    const auto host = Uuid::parse(json.at("host").get<std::string>());
    if (!host) {
        return nullptr;
    }
    eviction.name = json.at("name").get<std::string>();
    eviction.host = *host;
    eviction.typed = host->text();
    eviction.evicts = json.at("evicts").get<bool>();
    eviction.already = json.at("already").get<bool>();
    return change_eviction(std::move(eviction));
});

Error not_fenced(const Eviction &wanted, std::chrono::seconds waited) {
    return Error{ExitCode::try_again,
                 fmt::format("{} is NOT fenced yet: it may not log in to '{}' any more, but after "
                             "{} s commands of it are still at the disk",
                             wanted.typed, wanted.name, waited.count()),
                 fmt::format("give the same command again, until it succeeds: causeway export "
                             "evict {} --host {}",
                             wanted.name, wanted.host.text())};
}

// Repeats the request until the kernel reports that no command of the host is left.
Result<void> evict(World &world, const Eviction &wanted) {
    const auto start = Clock::now();
    const Progress progress(
        world, fmt::format("waiting for commands of {} that are still at the disk", wanted.typed));
    for (;;) {
        const auto asked = Clock::now();
        auto host = world.kernel.evict_host(wanted.name, wanted.host);
        if (!host) {
            Error error = host.error();
            error.what = fmt::format("{} is NOT fenced: cannot evict it from '{}': {}",
                                     wanted.typed, wanted.name, error.what);
            return error;
        }
        if (*host) {
            return {};
        }
        const auto waited = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start);
        if (wanted.limit && waited >= *wanted.limit) {
            return not_fenced(wanted, waited);
        }
        std::this_thread::sleep_until(asked + pause_between);
    }
}

Result<void> readmit(World &world, const Eviction &wanted) {
    auto host = world.kernel.readmit_host(wanted.name, wanted.host);
    if (host) {
        return {};
    }
    Error error = host.error();
    error.what =
        fmt::format("cannot readmit {} to '{}': {}", wanted.typed, wanted.name, error.what);
    return error;
}

class EvictionChange final : public Change {
  public:
    explicit EvictionChange(Eviction eviction) : eviction_(std::move(eviction)) {}

    std::string subject() const override {
        return fmt::format("host {} of the export '{}'", eviction_.host.text(), eviction_.name);
    }

    std::string show(Direction direction) const override {
        return evicts(direction)
                   ? fmt::format("would evict {} from '{}', and wait until no command of it is "
                                 "left\n",
                                 eviction_.typed, eviction_.name)
                   : fmt::format("would let {} log in to '{}' again\n", eviction_.typed,
                                 eviction_.name);
    }

    std::string report(Direction direction) const override {
        return evicts(direction)
                   ? fmt::format("evicted {} from '{}'", eviction_.typed, eviction_.name)
                   : fmt::format("readmitted {} to '{}'", eviction_.typed, eviction_.name);
    }

    Json json() const override {
        return {{"kind", kind_eviction.name()},
                {"name", eviction_.name},
                {"host", eviction_.host.text()},
                {"evicts", eviction_.evicts},
                {"already", eviction_.already}};
    }

    Result<Standing> standing(World &world) const override {
        if (eviction_.already) {
            return Standing::before;
        }
        const auto owners = owners_of(world, eviction_.name);
        if (!owners) {
            return Standing::unknown;
        }
        const auto info = find_host(*owners, eviction_.host);
        const bool evicted = info && info->evicted;
        return evicted == eviction_.evicts ? Standing::after : Standing::before;
    }

    Result<void> forward(World &world) const override {
        return eviction_.evicts ? evict(world, eviction_) : readmit(world, eviction_);
    }
    Result<void> back(World &world) const override {
        return eviction_.evicts ? readmit(world, eviction_) : evict(world, eviction_);
    }

    bool fences() const override { return eviction_.evicts; }
    // If two commands evict the same host, both repeat the request until no command of the host is
    // left.
    bool leave_to_others() override {
        eviction_.already = true;
        return true;
    }

    Result<void> may_go_back(World &world) const override {
        const auto owners = owners_of(world, eviction_.name);
        const auto info = owners ? find_host(*owners, eviction_.host) : std::nullopt;
        if (eviction_.evicts || !info || info->state != CW_STATE_LIVE) {
            return {};
        }
        return Error{ExitCode::try_again,
                     fmt::format("{} has '{}' attached", eviction_.typed, eviction_.name)};
    }

  private:
    bool evicts(Direction direction) const {
        return eviction_.evicts == (direction == Direction::forward);
    }

    Eviction eviction_;
};

} // namespace

ChangePointer change_eviction(Eviction eviction) {
    return std::make_unique<EvictionChange>(std::move(eviction));
}

Result<std::vector<OwnerInfo>> owners_of(World &world, const std::string &name) {
    auto owners = TRY(world.kernel.owners());
    std::vector<OwnerInfo> found;
    std::copy_if(owners.begin(), owners.end(), std::back_inserter(found),
                 [&](const OwnerInfo &info) { return info.name == name; });
    return found;
}

std::optional<OwnerInfo> find_host(const std::vector<OwnerInfo> &owners, const Uuid &host) {
    const auto found = std::find_if(owners.begin(), owners.end(),
                                    [&](const OwnerInfo &info) { return info.host == host; });
    return found == owners.end() ? std::nullopt : std::optional(*found);
}

} // namespace causeway
