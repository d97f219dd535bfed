// SPDX-License-Identifier: GPL-2.0-or-later
#include "ipoib/device_name_change.h"

#include "change/kinds.h"
#include "host/rdma_devices.h"

#include <fmt/format.h>

namespace causeway {

namespace {

const ChangeKind kind_device_name("device-name", [](const Json &json) -> ChangePointer {
    return change_device_name(json.at("from").get<std::string>(), json.at("to").get<std::string>());
});

class DeviceNameChange final : public Change {
  public:
    DeviceNameChange(std::string from, std::string to)
        : from_(std::move(from)), to_(std::move(to)) {}

    std::string subject() const override { return "name of RDMA device " + from_; }

    std::string show(Direction direction) const override {
        const bool back = direction == Direction::back;
        return fmt::format("netlink rename\n-{}\n+{}\n", back ? to_ : from_, back ? from_ : to_);
    }

    std::string report(Direction direction) const override {
        const bool back = direction == Direction::back;
        return fmt::format("renamed the RDMA device {} to {}", back ? to_ : from_,
                           back ? from_ : to_);
    }

    Json json() const override {
        return {{"kind", kind_device_name.name()}, {"from", from_}, {"to", to_}};
    }

    Result<Standing> standing(World &world) const override {
        const bool is_old = find_rdma_device(world.files, from_).has_value();
        const bool is_new = find_rdma_device(world.files, to_).has_value();
        if (is_old == is_new) {
            return Standing::neither;
        }
        return is_new ? Standing::after : Standing::before;
    }

    Result<void> forward(World &world) const override { return world.rdma.rename(from_, to_); }
    Result<void> back(World &world) const override { return world.rdma.rename(to_, from_); }

  private:
    std::string from_;
    std::string to_;
};

} // namespace

ChangePointer change_device_name(std::string from, std::string to) {
    return std::make_unique<DeviceNameChange>(std::move(from), std::move(to));
}

} // namespace causeway
