// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/server_limit_change.h"

#include "change/kinds.h"
#include "host/rdma_devices.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace causeway {

namespace {

// Returns null if there is no such limit.
ChangePointer server_limit_from(const Json &json) {
    const auto word = json.at("limit").get<std::string>();
    const auto *limit = std::find_if(server_limits.begin(), server_limits.end(),
                                     [&](const ServerLimit &each) { return each.word == word; });
    return limit == server_limits.end()
               ? nullptr
               : change_server_limit(*limit, json.at("before").get<std::uint32_t>(),
                                     json.at("after").get<std::uint32_t>());
}

const ChangeKind kind_server_limit("server-limit", server_limit_from);

class ServerLimitChange final : public Change {
  public:
    ServerLimitChange(const ServerLimit &limit, std::uint32_t before, std::uint32_t after)
        : limit_(limit), before_(before), after_(after) {}

    std::string subject() const override { return parameter_file(limit_); }

    std::filesystem::path lock_place(const World &world) const override {
        return world.places.lock();
    }

    std::string show(Direction direction) const override {
        const bool back = direction == Direction::back;
        return fmt::format("value {}\n-{}\n+{}\n", subject(), back ? after_ : before_,
                           back ? before_ : after_);
    }

    std::string report(Direction direction) const override {
        return fmt::format("set {} to {}", subject(),
                           direction == Direction::back ? before_ : after_);
    }

    Json json() const override {
        return {{"kind", kind_server_limit.name()},
                {"limit", limit_.word},
                {"before", before_},
                {"after", after_}};
    }

    Result<Standing> standing(World &world) const override {
        const auto now = limit_now(world, limit_);
        if (!now || *now == before_) {
            return Standing::before;
        }
        return *now == after_ || *now == limit_.by_default ? Standing::after : Standing::neither;
    }

    Result<void> forward(World &world) const override { return write(world, after_); }
    Result<void> back(World &world) const override { return write(world, before_); }

  private:
    Result<void> write(World &world, std::uint32_t number) const {
        return world.files.write(subject(), fmt::format("{}\n", number));
    }

    const ServerLimit &limit_;
    std::uint32_t before_;
    std::uint32_t after_;
};

} // namespace

std::optional<std::uint32_t> limit_now(World &world, const ServerLimit &limit) {
    const auto there = world.files.read(parameter_file(limit));
    if (!there || !*there) {
        return std::nullopt;
    }
    const std::string text = sysfs_text(world.files, parameter_file(limit));
    std::uint32_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() ? std::optional(number)
                                                                           : std::nullopt;
}

ChangePointer change_server_limit(const ServerLimit &limit, std::uint32_t before,
                                  std::uint32_t after) {
    return std::make_unique<ServerLimitChange>(limit, before, after);
}

} // namespace causeway
