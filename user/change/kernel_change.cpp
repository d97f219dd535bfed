// SPDX-License-Identifier: GPL-2.0-or-later
// Changes of values of sysfs and of loaded kernel modules.
#include "change/kinds.h"
#include "host/rdma_devices.h"
#include "host/rdma_modules.h"

#include <cerrno>
#include <fmt/format.h>

namespace causeway {

namespace {

const ChangeKind kind_value("value", [](const Json &json) -> ChangePointer {
    return change_value(json.at("path").get<std::string>(), json.at("before").get<std::string>(),
                        get_bytes(json, "after"));
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

    std::string report(Direction direction) const override {
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

class ModuleChange final : public Change {
  public:
    ModuleChange(std::string module, bool ours) : module_(std::move(module)), ours_(ours) {}

    std::string subject() const override { return "kernel module " + module_; }

    std::string show(Direction direction) const override {
        return ours_ ? fmt::format("modules\n{}{}\n", direction == Direction::back ? '-' : '+',
                                   module_)
                     : "";
    }

    std::string report(Direction direction) const override {
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
        if (const auto up = up_interface_of_module(world.files, module_); !up.empty()) {
            return Error{ExitCode::try_again,
                         fmt::format("the interface {} is up, and would disappear with it", up), "",
                         EBUSY};
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

ChangePointer change_module(std::string module, bool ours) {
    return std::make_unique<ModuleChange>(std::move(module), ours);
}

} // namespace causeway
