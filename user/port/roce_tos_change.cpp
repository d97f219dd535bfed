// SPDX-License-Identifier: GPL-2.0-or-later
// default_roce_tos in configfs, of drivers/infiniband/core/cma_configfs.c. A device appears there
// when its folder is made.
#include "port/roce_tos_change.h"

#include "change/kinds.h"
#include "host/rdma_devices.h"
#include "host/roce_default.h"

#include <charconv>
#include <fmt/format.h>

namespace causeway {

namespace {

const ChangeKind kind_roce_tos("roce-tos", [](const Json &json) -> ChangePointer {
    RoceTos tos{json.at("device").get<std::string>(), json.at("port").get<unsigned int>(),
                json.at("before").get<unsigned int>(), json.at("after").get<unsigned int>()};
    return tos.before > most_tos || tos.after > most_tos ? nullptr
                                                         : change_roce_tos(std::move(tos));
});

std::string tos_place(const std::string &device, unsigned int port) {
    return fmt::format("{}/ports/{}/default_roce_tos", roce_folder(device), port);
}

class RoceTosChange final : public Change {
  public:
    explicit RoceTosChange(RoceTos tos) : tos_(std::move(tos)) {}

    std::string subject() const override { return tos_place(tos_.device, tos_.port); }

    std::string show(Direction direction) const override {
        const bool back = direction == Direction::back;
        return fmt::format("value {}\n-{}\n+{}\n", subject(), back ? tos_.after : tos_.before,
                           back ? tos_.before : tos_.after);
    }

    std::string report(Direction direction) const override {
        return fmt::format("set {} to {}", subject(),
                           direction == Direction::back ? tos_.before : tos_.after);
    }

    Json json() const override {
        return {{"kind", kind_roce_tos.name()},
                {"device", tos_.device},
                {"port", tos_.port},
                {"before", tos_.before},
                {"after", tos_.after}};
    }

    // Without a folder of the device in configfs, the kernel uses its default: as before, or after
    // a reboot.
    Result<Standing> standing(World &world) const override {
        const auto now = roce_tos_now(world.files, tos_.device, tos_.port);
        if (!now || *now == tos_.before) {
            return Standing::before;
        }
        return *now == tos_.after ? Standing::after : Standing::neither;
    }

    Result<void> forward(World &world) const override { return put(world, tos_.after); }
    Result<void> back(World &world) const override { return put(world, tos_.before); }

  private:
    Result<void> put(World &world, unsigned int wanted) const {
        if (!roce_tos_now(world.files, tos_.device, tos_.port)) {
            auto made = TRY(world.processes.run({"mkdir", "-p", roce_folder(tos_.device)}));
            if (!made.good()) {
                return Error{
                    ExitCode::failed,
                    fmt::format("cannot make {}: {}", roce_folder(tos_.device), made.last_words())};
            }
        }
        return world.files.write(subject(), fmt::format("{}\n", wanted));
    }

    RoceTos tos_;
};

} // namespace

ChangePointer change_roce_tos(RoceTos tos) {
    return std::make_unique<RoceTosChange>(std::move(tos));
}

std::optional<unsigned int> roce_tos_now(KernelFiles &files, const std::string &device,
                                         unsigned int port) {
    const std::string text = sysfs_text(files, tos_place(device, port));
    unsigned int tos = 0;
    const auto [after, failure] = std::from_chars(text.data(), text.data() + text.size(), tos);
    const bool whole = failure == std::errc() && after == text.data() + text.size();
    return whole && tos <= most_tos ? std::optional(tos) : std::nullopt;
}

} // namespace causeway
