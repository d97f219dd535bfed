// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/at_boot.h"

#include "base/durable_file.h"
#include "base/systemd_name.h"
#include "change/look.h"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

fs::path link_place(const Places &places, const std::string &directory) {
    return places.units() / mount_unit_wanted_by / mount_unit_name(directory);
}

std::string line_for_fstab(const MountRequest &request) {
    const std::string options = request.options.text();
    return fmt::format("{} {} nfs-causeway _netdev{}{} 0 0", request.source.text(),
                       request.directory, options.empty() ? "" : ",", options);
}

// Adds the unit and its link, if they are not there.
Result<void> add_unit(World &world, const MountRequest &request, ChangeSet &set) {
    const std::string text =
        mount_unit_text(request.source.text(), request.directory, request.options.text());
    const fs::path place = mount_unit_place(world.places, request.directory);
    const auto before = TRY(look_at_file(place));
    if (before.content && !is_mount_unit_of_causeway(*before.content)) {
        return Error{
            ExitCode::failed,
            fmt::format("{} is there already, and nfs mount did not write it", place.string()),
            "that unit mounts the folder; to mount it until the next reboot only, give "
            "--no-persist"};
    }
    if (before.content && *before.content != text) {
        const auto there = parse_mount_unit(*before.content);
        return Error{ExitCode::failed,
                     fmt::format("{} is there already, with other settings{}", place.string(),
                                 there ? fmt::format(": {} with the options '{}', not {} with '{}'",
                                                     there->source, there->options,
                                                     request.source.text(), request.options.text())
                                       : ""),
                     fmt::format("causeway nfs umount {}, then mount it again", request.directory)};
    }
    const fs::path link = link_place(world.places, request.directory);
    std::error_code failure;
    if (const fs::path wants = link.parent_path();
        fs::exists(wants, failure) && !fs::is_directory(wants, failure)) {
        return Error{ExitCode::failed, fmt::format("{} is there and is no folder", wants.string()),
                     "move it away and try again"};
    }
    const auto linked = TRY(look_at_symlink(link));
    // The file is staged before the folder is mounted, and gets its name afterwards.
    if (!before.content) {
        set.add(change_dropin(place, before, {text}));
    }
    if (!linked) {
        set.add(change_symlink(link, linked, place.string()));
    }
    set.reload_systemd(world);
    return {};
}

} // namespace

fs::path mount_unit_place(const Places &places, const std::string &directory) {
    return places.units() / mount_unit_name(directory);
}

Result<std::optional<FstabLine>> line_of_fstab(const Places &places, const std::string &directory) {
    const auto text = TRY(read_small_file(places.of_others("etc/fstab")));
    for (FstabLine &line : parse_fstab(text.value_or(std::string()))) {
        if (line.directory.front() == '/' && real_directory(line.directory) == directory) {
            return std::optional(std::move(line));
        }
    }
    return std::optional<FstabLine>();
}

std::string mounted_at_boot_by(const Places &places, const std::string &directory) {
    const auto unit = read_small_file(mount_unit_place(places, directory));
    const auto linked = look_at_symlink(link_place(places, directory));
    if (unit && *unit && is_mount_unit_of_causeway(**unit) && linked && *linked) {
        return "unit";
    }
    const auto line = line_of_fstab(places, directory);
    return line && *line ? "fstab" : "";
}

std::vector<UnitMount> mounts_of_units(const Places &places) {
    std::vector<UnitMount> mounts;
    std::error_code failure;
    for (fs::directory_iterator entry(places.units(), failure), end; !failure && entry != end;
         entry.increment(failure)) {
        if (entry->path().extension() != ".mount") {
            continue;
        }
        const auto text = read_small_file(entry->path());
        if (!text || !*text || !is_mount_unit_of_causeway(**text)) {
            continue;
        }
        if (auto mount = parse_mount_unit(**text)) {
            mounts.push_back(*std::move(mount));
        }
    }
    std::sort(mounts.begin(), mounts.end(), [](const UnitMount &left, const UnitMount &right) {
        return left.directory < right.directory;
    });
    return mounts;
}

Result<void> plan_mount_at_boot(World &world, const MountRequest &request, ChangeSet &set,
                                std::vector<std::string> &warnings) {
    if (const auto line = TRY(line_of_fstab(world.places, request.directory))) {
        warnings.push_back(fmt::format("/etc/fstab has a line for {}, which counts at boot, so no "
                                       "unit is written: {}",
                                       request.directory, line->text));
        return {};
    }
    if (!systemd_runs(world)) {
        warnings.push_back(fmt::format("systemd does not run here: nothing mounts {} after a "
                                       "reboot; a line for /etc/fstab: {}",
                                       request.directory, line_for_fstab(request)));
        return {};
    }
    return add_unit(world, request, set);
}

void plan_no_mount_at_boot(World &world, const std::string &directory, ChangeSet &set,
                           Removals &removals) {
    const fs::path place = mount_unit_place(world.places, directory);
    const auto text = removals.read(place);
    if (!text || !is_mount_unit_of_causeway(*text)) {
        return;
    }
    removals.remove_link(set, link_place(world.places, directory));
    removals.remove_file(set, place);
    set.reload_systemd(world);
}

} // namespace causeway
