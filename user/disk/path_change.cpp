// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/path_change.h"

#include "change/kinds.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

// Returns null if a text in the JSON is malformed.
ChangePointer path_from(const Json &json) {
    auto disk = parse_disk(json.at("disk").get<std::string>());
    if (!disk) {
        return nullptr;
    }
    return change_path(*std::move(disk),
                       {json.at("address").get<std::string>(), json.at("from").get<std::string>(),
                        json.value("tcp", false)},
                       json.at("added").get<bool>());
}

const ChangeKind kind_path("disk-path", path_from);

class PathChange final : public Change {
  public:
    PathChange(DiskName disk, PathSettings path, bool added)
        : disk_(std::move(disk)), path_(std::move(path)), added_(added) {}

    // The same as of the attachment: undo of an attach does not go past a change of its paths.
    std::string subject() const override { return "disk " + disk_.text(); }

    std::filesystem::path lock_place(const World &world) const override {
        return attachment_lock(world.places, disk_);
    }

    std::string show(Direction direction) const override {
        return fmt::format("would {}\n", text(adds(direction) ? "add" : "remove", direction));
    }

    std::string report(Direction direction) const override {
        return text(adds(direction) ? "added" : "removed", direction);
    }

    Json json() const override {
        return {{"kind", kind_path.name()}, {"disk", disk_.text()}, {"address", path_.address},
                {"from", path_.from},       {"tcp", path_.tcp},     {"added", added_}};
    }

    Result<Standing> standing(World &world) const override {
        const auto running = TRY(running_attachment(world, disk_));
        if (!running) {
            return Standing::neither;
        }
        const auto paths = running_paths(*running);
        const bool there =
            std::any_of(paths.begin(), paths.end(),
                        [&](const DiskPathAddresses &path) { return settings_of(path) == path_; });
        return there == added_ ? Standing::after : Standing::before;
    }

    Result<void> forward(World &world) const override {
        return added_ ? add(world) : remove(world);
    }
    Result<void> back(World &world) const override { return added_ ? remove(world) : add(world); }

  private:
    bool adds(Direction direction) const { return added_ == (direction == Direction::forward); }

    std::string text(std::string_view verb, Direction direction) const {
        return fmt::format("{} the path {} {} {}", verb, path_.text(),
                           adds(direction) ? "to" : "from", disk_.text());
    }

    Error failed(std::string_view verb, Error error) const {
        error.what = fmt::format("cannot {} the path {} of {}: {}", verb, path_.text(),
                                 disk_.text(), error.what);
        return error;
    }

    Result<void> add(World &world) const {
        const auto ends = TRY(end_of_path(world.resolver, disk_, path_));
        auto added = world.kernel.add_path(disk_.server.text(), disk_.name, ends);
        if (!added) {
            return failed("add", added.error());
        }
        return {};
    }

    Result<void> remove(World &world) const {
        const auto running = TRY(running_attachment(world, disk_));
        if (!running) {
            return not_attached(disk_);
        }
        for (const NumberedPath &path : numbered_paths(*running)) {
            if (settings_of(path.addresses) != path_) {
                continue;
            }
            auto removed = world.kernel.remove_path(disk_.server.text(), disk_.name, path.number);
            if (!removed) {
                return failed("remove", removed.error());
            }
            return {};
        }
        return failed("remove", {ExitCode::failed, "the disk does not have it"});
    }

    DiskName disk_;
    PathSettings path_;
    bool added_;
};

} // namespace

std::vector<NumberedPath> numbered_paths(const AttachmentInfo &info) {
    std::vector<NumberedPath> paths;
    for (const DiskPathAddresses &path : running_paths(info)) {
        // Modules that do not report the number cannot change paths either.
        const auto index = static_cast<std::uint32_t>(paths.size());
        paths.push_back({path.number.value_or(index), path});
    }
    return paths;
}

ChangePointer change_path(DiskName disk, PathSettings path, bool added) {
    return std::make_unique<PathChange>(std::move(disk), std::move(path), added);
}

} // namespace causeway
