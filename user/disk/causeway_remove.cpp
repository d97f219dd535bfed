// SPDX-License-Identifier: GPL-2.0-or-later
// The end of exports by Causeway's own transport, as "export remove" makes it.
#include "base/durable_file.h"
#include "change/carry_out.h"
#include "config/dropins.h"
#include "disk/causeway.h"
#include "disk/export_change.h"
#include "disk/server_life.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

Result<std::optional<ExportInfo>> find_export_of(World &world, const std::string &name) {
    auto exports = TRY(world.kernel.exports());
    const auto found = std::find_if(exports.begin(), exports.end(), [&](const ExportInfo &info) {
        return info.settings.name == name;
    });
    return found == exports.end() ? std::optional<ExportInfo>() : std::optional(*found);
}

class RemoveAction final : public DiskAction {
  public:
    RemoveAction(std::string name, const Arguments &arguments)
        : name_(std::move(name)), force_(arguments.has("force")), dry_run_(arguments.dry_run()) {}

    Result<ChangeSet> changes(World &world) override {
        auto there = TRY(find_export_of(world, name_));
        // A file that cannot be understood is removed all the same.
        const auto stored = find_export(world.places, name_);
        const auto configured = stored && *stored ? std::optional((*stored)->settings)
                                                  : std::optional<ExportSettings>();
        ChangeSet set("export remove " + name_, Scope::disks);
        removed_ = configured.value_or(ExportSettings());
        if (there) {
            ExportWay way;
            way.force = force_;
            way.ending = there->ending;
            way.sessions = there->sessions;
            way.unflushed = &unflushed_;
            ExportState state = state_of(*there, configured);
            removed_ = state.settings;
            set.add(change_export(std::move(state), false, std::move(way)));
        }
        ExportSettings named;
        named.name = name_;
        DropinWay way;
        way.permit = permit_dropin(name_, false);
        way.kind = there ? kind_export_dropin : way.kind;
        TRY(set.describe(dropin_place(world.places, named), {}, std::move(way)));
        nothing_there_ = set.empty();
        return set;
    }

    Result<Answer> answer(World &world, Answer done) override {
        if (dry_run_) {
            return done;
        }
        if (nothing_there_) {
            // An empty set needs no privilege. Taking the lock does, so other users are refused.
            const auto lock = TRY(lock_server(world));
        }
        done.json["name"] = name_;
        done.json["flushed"] = unflushed_.empty();
        const std::string again = same_disk_again(removed_);
        done.json["uuid"] = again.empty() ? Json(nullptr) : Json(removed_.identity->text());
        done.text =
            nothing_there_
                ? fmt::format("there is no export '{}', nothing to remove\n", name_)
                : fmt::format("'{}' is no longer exported{}\n{}", name_, again, line_of_undo(done));
        if (!unflushed_.empty()) {
            done.text = line_of_undo(done);
            done.warnings.push_back(
                fmt::format("'{}' is no longer exported, but {}{}", name_, unflushed_, again));
            done.code = ExitCode::failed;
        }
        return done;
    }

  private:
    std::string name_;
    bool force_;
    bool dry_run_;
    bool nothing_there_ = false;
    ExportSettings removed_;
    std::string unflushed_; // the reason where the disk was not flushed
};

} // namespace

Result<ActionPointer> CausewayFamily::export_remove(World & /*world*/, const std::string &name,
                                                    const Arguments &arguments) const {
    return ActionPointer(std::make_unique<RemoveAction>(name, arguments));
}

} // namespace causeway
