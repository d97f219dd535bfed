// SPDX-License-Identifier: GPL-2.0-or-later
#include "soft/device_change.h"

#include "change/kinds.h"
#include "host/rdma_devices.h"
#include "host/soft_rdma.h"

#include <fmt/format.h>

namespace causeway {

namespace {

const ChangeKind kind_soft_device("soft-device", [](const Json &json) -> ChangePointer {
    return change_soft_device({json.at("type").get<std::string>(),
                               json.at("name").get<std::string>(),
                               json.at("netdev").get<std::string>()},
                              json.at("added").get<bool>());
});

class SoftDeviceChange final : public Change {
  public:
    SoftDeviceChange(SoftDevice device, bool added) : device_(std::move(device)), added_(added) {}

    std::string subject() const override { return "RDMA device " + device_.name; }

    std::string show(Direction direction) const override {
        const bool adds = added_ == (direction == Direction::forward);
        return fmt::format("netlink {}\n{}{} {} on {}\n", adds ? "newlink" : "dellink",
                           adds ? '+' : '-', device_.type, device_.name, device_.netdev);
    }

    std::string report(Direction direction) const override {
        const bool adds = added_ == (direction == Direction::forward);
        return fmt::format("{} the {} device {} on {}", adds ? "added" : "removed", device_.type,
                           device_.name, device_.netdev);
    }

    Json json() const override {
        return {{"kind", kind_soft_device.name()},
                {"type", device_.type},
                {"name", device_.name},
                {"netdev", device_.netdev},
                {"added", added_}};
    }

    Result<Standing> standing(World &world) const override {
        const auto now = find_rdma_device(world.files, device_.name);
        if (!now) {
            return added_ ? Standing::before : Standing::after;
        }
        const bool same =
            now->soft == device_.type && (now->netdev.empty() || now->netdev == device_.netdev);
        if (!same) {
            return Standing::neither;
        }
        return added_ ? Standing::after : Standing::before;
    }

    Result<void> forward(World &world) const override { return put(world, added_); }
    Result<void> back(World &world) const override { return put(world, !added_); }

    Result<void> may_go_back(World &world) const override {
        return added_ ? expect_no_users(world, device_.name, "removed", false) : Result<void>();
    }

  private:
    Result<void> put(World &world, bool there) const {
        return there ? world.rdma.add(device_.type, device_.name, device_.netdev)
                     : world.rdma.remove(device_.name);
    }

    SoftDevice device_;
    bool added_;
};

} // namespace

ChangePointer change_soft_device(SoftDevice device, bool added) {
    return std::make_unique<SoftDeviceChange>(std::move(device), added);
}

} // namespace causeway
