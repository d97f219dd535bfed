// SPDX-License-Identifier: GPL-2.0-or-later
// The version of RoCE that rdma_cm uses on a port unless a program chooses one: configfs of
// drivers/infiniband/core/cma_configfs.c. A device appears there when its folder is made.
#include "port/roce_mode_change.h"

#include "change/kinds.h"
#include "host/roce_default.h"

#include <fmt/format.h>

namespace causeway {

namespace {

const ChangeKind kind_roce_mode("roce-mode", [](const Json &json) -> ChangePointer {
    return change_roce_mode(
        {json.at("device").get<std::string>(), json.at("port").get<unsigned int>(),
         json.at("before").get<std::string>(), json.at("after").get<std::string>()});
});

class RoceModeChange final : public Change {
  public:
    explicit RoceModeChange(RoceMode mode) : mode_(std::move(mode)) {}

    std::string subject() const override { return place(); }

    std::string show(Direction direction) const override {
        const bool back = direction == Direction::back;
        return fmt::format("value {}\n-{}\n+{}\n", place(), back ? mode_.after : mode_.before,
                           back ? mode_.before : mode_.after);
    }

    std::string report(Direction direction) const override {
        return fmt::format("set {} to {}", place(),
                           direction == Direction::back ? mode_.before : mode_.after);
    }

    Json json() const override {
        return {{"kind", kind_roce_mode.name()},
                {"device", mode_.device},
                {"port", mode_.port},
                {"before", mode_.before},
                {"after", mode_.after}};
    }

    Result<Standing> standing(World &world) const override {
        const std::string now = roce_mode_now(world.files, mode_.device, mode_.port);
        if (now == mode_.before || now == mode_.after) {
            return now == mode_.before ? Standing::before : Standing::after;
        }
        // Without a folder of the device in configfs the mode cannot be read: after a reboot the
        // mode is the one that the kernel chooses.
        return now.empty() ? Standing::before : Standing::neither;
    }

    Result<void> forward(World &world) const override { return put(world, mode_.after); }
    Result<void> back(World &world) const override { return put(world, mode_.before); }

  private:
    std::string place() const { return roce_mode_place(mode_.device, mode_.port); }

    Result<void> put(World &world, const std::string &wanted) const {
        if (roce_mode_now(world.files, mode_.device, mode_.port).empty()) {
            auto made = TRY(world.processes.run({"mkdir", "-p", roce_folder(mode_.device)}));
            if (!made.good()) {
                return Error{ExitCode::failed,
                             fmt::format("cannot make {}: {}", roce_folder(mode_.device),
                                         made.last_words())};
            }
        }
        return world.files.write(place(), wanted + "\n");
    }

    RoceMode mode_;
};

} // namespace

ChangePointer change_roce_mode(RoceMode mode) {
    return std::make_unique<RoceModeChange>(std::move(mode));
}

} // namespace causeway
