// SPDX-License-Identifier: GPL-2.0-or-later
// Makes and removes P_Key children of IPoIB interfaces.
#include "ipoib/child_change.h"

#include "change/kinds.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

const ChangeKind kind_ipoib_child("ipoib-child", [](const Json &json) -> ChangePointer {
    return change_ipoib_child(
        {json.at("parent").get<std::string>(), json.at("pkey").get<std::string>(),
         json.at("name").get<std::string>(), json.at("mode").get<std::string>(),
         json.at("mtu").get<std::string>()},
        json.at("added").get<bool>());
});

class IpoibChildChange final : public Change {
  public:
    IpoibChildChange(IpoibChild child, bool added) : child_(std::move(child)), added_(added) {}

    std::string subject() const override { return "IPoIB interface " + child_.name; }

    std::string show(Direction direction) const override {
        const bool adds = added_ == (direction == Direction::forward);
        return fmt::format("value /sys/class/net/{}/{}\n{}{} ({})\n", child_.parent,
                           adds ? "create_child" : "delete_child", adds ? '+' : '-', child_.pkey,
                           child_.name);
    }

    std::string report(Direction direction) const override {
        const bool adds = added_ == (direction == Direction::forward);
        return fmt::format("{} the interface {}", adds ? "made" : "removed", child_.name);
    }

    Json json() const override {
        return {{"kind", kind_ipoib_child.name()},
                {"parent", child_.parent},
                {"pkey", child_.pkey},
                {"name", child_.name},
                {"mode", child_.mode},
                {"mtu", child_.mtu},
                {"added", added_}};
    }

    Result<Standing> standing(World &world) const override {
        return there(world) == added_ ? Standing::after : Standing::before;
    }

    Result<void> forward(World &world) const override { return put(world, added_); }
    Result<void> back(World &world) const override { return put(world, !added_); }

  private:
    bool there(World &world) const {
        const auto names = world.files.list("/sys/class/net");
        return std::find(names.begin(), names.end(), child_.name) != names.end();
    }

    // The manager of the network may have made or removed the child already.
    Result<void> put(World &world, bool wanted) const {
        if (there(world) == wanted) {
            return {};
        }
        if (!wanted) {
            return remove(world);
        }
        const std::string folder = "/sys/class/net/";
        TRY(world.files.write(folder + child_.parent + "/create_child", child_.pkey + "\n"));
        for (const auto &[file, value] :
             {std::pair("/mode", &child_.mode), std::pair("/mtu", &child_.mtu)}) {
            if (value->empty()) {
                continue;
            }
            if (auto set = world.files.write(folder + child_.name + file, *value + "\n"); !set) {
                static_cast<void>(remove(world));
                return set;
            }
        }
        return {};
    }

    // The file delete_child does not accept a child that was made by netlink.
    Result<void> remove(World &world) const {
        auto removed = world.files.write("/sys/class/net/" + child_.parent + "/delete_child",
                                         child_.pkey + "\n");
        if (removed) {
            return removed;
        }
        auto end = world.processes.run({"ip", "link", "delete", "dev", child_.name});
        return end && end->good() ? Result<void>() : removed;
    }

    IpoibChild child_;
    bool added_;
};

} // namespace

ChangePointer change_ipoib_child(IpoibChild child, bool added) {
    return std::make_unique<IpoibChildChange>(std::move(child), added);
}

} // namespace causeway
