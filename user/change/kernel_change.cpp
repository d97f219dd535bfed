// SPDX-License-Identifier: GPL-2.0-or-later
// Changes of values of sysfs, RDMA devices and kernel modules.
#include "change/kinds.h"
#include "host/rdma_devices.h"
#include "host/soft_rdma.h"

#include <cerrno>
#include <fmt/format.h>

namespace causeway {

namespace {

const ChangeKind kind_value("value", [](const Json &json) -> ChangePointer {
    return change_value(json.at("path").get<std::string>(), json.at("before").get<std::string>(),
                        get_bytes(json, "after"));
});

const ChangeKind kind_soft_device("soft-device", [](const Json &json) -> ChangePointer {
    return change_soft_device({json.at("type").get<std::string>(),
                               json.at("name").get<std::string>(),
                               json.at("netdev").get<std::string>()},
                              json.at("added").get<bool>());
});

const ChangeKind kind_device_name("device-name", [](const Json &json) -> ChangePointer {
    return change_device_name(json.at("from").get<std::string>(), json.at("to").get<std::string>());
});

const ChangeKind kind_module("module", [](const Json &json) -> ChangePointer {
    return change_module(json.at("module").get<std::string>(), json.value("ours", true));
});

class ValueChange final : public Change {
  public:
    ValueChange(std::string path, std::string before, std::optional<std::string> wanted)
        : path_(std::move(path)), before_(std::move(before)), wanted_(std::move(wanted)),
          after_(wanted_) {}

    std::string subject() const override { return path_; }

    std::string show(Direction direction) const override {
        const bool back = direction == Direction::back;
        if (!after_) {
            return fmt::format("value {}\n-{}\n+as the kernel chooses\n", path_, before_);
        }
        return fmt::format("value {}\n-{}\n+{}\n", path_, back ? *after_ : before_,
                           back ? before_ : *after_);
    }

    std::string deed(Direction direction) const override {
        return fmt::format("set {} to {}", path_,
                           direction == Direction::back ? before_
                                                        : after_.value_or("the kernel's choice"));
    }

    Json json() const override {
        Json json = {{"kind", kind_value.name()}, {"path", path_}, {"before", before_}};
        put_bytes(json, "after", after_);
        return json;
    }

    Result<Standing> standing(World &world) const override {
        const std::string now = sysfs_text(world.files, path_);
        if (now == before_) {
            return Standing::before;
        }
        return !after_ || now == *after_ ? Standing::after : Standing::neither;
    }

    Result<void> forward(World &world) const override {
        return wanted_ ? world.files.write(path_, *wanted_ + "\n") : Result<void>();
    }

    Result<void> back(World &world) const override {
        return world.files.write(path_, before_ + "\n");
    }

    void settle(World &world) override { after_ = sysfs_text(world.files, path_); }
    bool may_wait() const override { return true; }
    EarlyBoot early_boot() const override { return EarlyBoot::if_it_stands; }

  private:
    std::string path_;
    std::string before_;
    std::optional<std::string> wanted_;
    std::optional<std::string> after_;
};

class SoftDeviceChange final : public Change {
  public:
    SoftDeviceChange(SoftDevice device, bool added) : device_(std::move(device)), added_(added) {}

    std::string subject() const override { return "RDMA device " + device_.name; }

    std::string show(Direction direction) const override {
        const bool adds = added_ == (direction == Direction::forward);
        return fmt::format("netlink {}\n{}{} {} on {}\n", adds ? "newlink" : "dellink",
                           adds ? '+' : '-', device_.type, device_.name, device_.netdev);
    }

    std::string deed(Direction direction) const override {
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
        return added_ ? expect_no_programs(world, device_.name, "removed") : Result<void>();
    }

  private:
    Result<void> put(World &world, bool there) const {
        return there ? world.rdma.add(device_.type, device_.name, device_.netdev)
                     : world.rdma.remove(device_.name);
    }

    SoftDevice device_;
    bool added_;
};

class DeviceNameChange final : public Change {
  public:
    DeviceNameChange(std::string from, std::string to)
        : from_(std::move(from)), to_(std::move(to)) {}

    std::string subject() const override { return "name of RDMA device " + from_; }

    std::string show(Direction direction) const override {
        const bool back = direction == Direction::back;
        return fmt::format("netlink rename\n-{}\n+{}\n", back ? to_ : from_, back ? from_ : to_);
    }

    std::string deed(Direction direction) const override {
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

class ModuleChange final : public Change {
  public:
    ModuleChange(std::string module, bool ours) : module_(std::move(module)), ours_(ours) {}

    std::string subject() const override { return "kernel module " + module_; }

    std::string show(Direction direction) const override {
        return ours_ ? fmt::format("modules\n{}{}\n", direction == Direction::back ? '-' : '+',
                                   module_)
                     : "";
    }

    std::string deed(Direction direction) const override {
        return fmt::format("{} the kernel module {}",
                           direction == Direction::back ? "unloaded" : "loaded", module_);
    }

    Json json() const override {
        return {{"kind", kind_module.name()}, {"module", module_}, {"ours", ours_}};
    }

    Result<Standing> standing(World &world) const override {
        return ours_ && world.modules.loaded(module_) ? Standing::after : Standing::before;
    }

    Result<void> forward(World &world) const override { return world.modules.need(module_); }
    Result<void> back(World &world) const override {
        // The threads of the module hold no reference to the module. A thread that has yet to
        // return from a failed login, or from a session that ended, would return into freed memory.
        if (module_ == "iscsi_target_mod") {
            return Error{ExitCode::try_again,
                         "a thread of its own may still be on its way out of it, and unloading it "
                         "then crashes the machine",
                         "", EBUSY};
        }
        return world.modules.unload(module_);
    }
    // udev loads modules for a device that has just appeared.
    bool leave_to_others() override {
        ours_ = false;
        return true;
    }
    bool may_stay() const override { return true; }

  private:
    std::string module_;
    bool ours_; // false: another program loaded it
};

} // namespace

ChangePointer change_value(std::string path, std::string before,
                           std::optional<std::string> wanted) {
    return std::make_unique<ValueChange>(std::move(path), std::move(before), std::move(wanted));
}

ChangePointer change_soft_device(SoftDevice device, bool added) {
    return std::make_unique<SoftDeviceChange>(std::move(device), added);
}

ChangePointer change_device_name(std::string from, std::string to) {
    return std::make_unique<DeviceNameChange>(std::move(from), std::move(to));
}

ChangePointer change_module(std::string module, bool ours) {
    return std::make_unique<ModuleChange>(std::move(module), ours);
}

} // namespace causeway
