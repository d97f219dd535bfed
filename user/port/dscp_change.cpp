// SPDX-License-Identifier: GPL-2.0-or-later
#include "port/dscp_change.h"

#include "change/kinds.h"
#include "port/flow_control.h"

#include <fmt/format.h>
#include <utility>

namespace causeway {

namespace {

const ChangeKind kind_dscp_entry("dscp-entry", [](const Json &json) -> ChangePointer {
    return change_dscp_entry({json.at("interface").get<std::string>(),
                              json.at("dscp").get<unsigned int>(),
                              json.at("priority").get<unsigned int>()},
                             json.at("added").get<bool>());
});

std::vector<std::string> words_of(const DscpEntry &entry, bool adds) {
    return {"dcb",
            "app",
            adds ? "add" : "del",
            "dev",
            entry.netdev,
            "dscp-prio",
            fmt::format("{}:{}", entry.dscp, entry.priority)};
}

class DscpEntryChange final : public Change {
  public:
    DscpEntryChange(DscpEntry entry, bool added)
        : entry_(std::move(entry)), added_(added),
          program_(change_program(words_of(entry_, added), words_of(entry_, !added))) {}

    std::string subject() const override { return program_->subject(); }
    std::string show(Direction direction) const override { return program_->show(direction); }
    std::string report(Direction direction) const override { return program_->report(direction); }

    Json json() const override {
        return {{"kind", kind_dscp_entry.name()},
                {"interface", entry_.netdev},
                {"dscp", entry_.dscp},
                {"priority", entry_.priority},
                {"added", added_}};
    }

    // A reboot, or the end of the interface, has taken the entries away.
    Result<Standing> standing(World &world) const override {
        const auto entries = dscp_entries(world, entry_.netdev);
        if (!entries) {
            return Standing::unknown;
        }
        const bool there = entries->count({entry_.dscp, entry_.priority}) != 0;
        return there == added_ ? Standing::after : Standing::before;
    }

    Result<void> forward(World &world) const override { return program_->forward(world); }
    Result<void> back(World &world) const override { return program_->back(world); }

  private:
    DscpEntry entry_;
    bool added_;
    ChangePointer program_;
};

} // namespace

ChangePointer change_dscp_entry(DscpEntry entry, bool added) {
    return std::make_unique<DscpEntryChange>(std::move(entry), added);
}

} // namespace causeway
