// SPDX-License-Identifier: GPL-2.0-or-later
#include "change/change_set.h"

#include "change/look.h"
#include "config/file_header.h"
#include "host/rdma_devices.h"

#include <fmt/format.h>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

Error of_another(const fs::path &place) {
    return Error{ExitCode::bad_config,
                 fmt::format("{} is there and was not written by causeway", place.string()),
                 "move it away, then run this again"};
}

} // namespace

Result<void> ChangeSet::write(const fs::path &place, const std::string &content,
                              unsigned int mode) {
    auto before = TRY(look_at_file(place));
    if (before.content && !is_ours(*before.content)) {
        return of_another(place);
    }
    if (before.content != content || before.mode != mode) {
        add(change_file(place, before, {content, mode}));
    }
    return {};
}

Result<void> ChangeSet::remove(const fs::path &place) {
    auto before = TRY(look_at_file(place));
    if (!before.content) {
        return {};
    }
    if (!is_ours(*before.content)) {
        return of_another(place);
    }
    add(change_file(place, before, {}));
    return {};
}

Result<void> ChangeSet::describe(const fs::path &place, FileState after, DropinWay way) {
    auto before = look_at_dropin(place);
    if (!before && after.content) {
        return before.error();
    }
    if (!before || before->content != after.content) {
        add(change_dropin(place, before ? *std::move(before) : FileState(), std::move(after),
                          std::move(way)));
    }
    return {};
}

Result<void> ChangeSet::link(const fs::path &place, const std::string &target) {
    auto before = TRY(look_at_symlink(place));
    if (before && *before != target) {
        return of_another(place);
    }
    if (!before) {
        add(change_symlink(place, std::nullopt, target));
    }
    return {};
}

Result<void> ChangeSet::unlink(const fs::path &place, const std::string &target) {
    auto before = TRY(look_at_symlink(place));
    if (before && *before != target) {
        return of_another(place);
    }
    if (before) {
        add(change_symlink(place, target, std::nullopt));
    }
    return {};
}

Result<void> ChangeSet::set(World &world, const std::string &path, const std::string &value) {
    auto before = TRY(world.files.read(path));
    if (!before) {
        return Error{ExitCode::unavailable, fmt::format("there is no {}", path)};
    }
    const std::string now = sysfs_text(world.files, path);
    if (now != value) {
        add(change_value(path, now, value));
    }
    return {};
}

Result<void> ChangeSet::keep(World &world, const std::string &path) {
    const std::string now = sysfs_text(world.files, path);
    if (now.empty()) {
        return Error{ExitCode::unavailable, fmt::format("there is no {}", path)};
    }
    add(change_value(path, now, std::nullopt));
    return {};
}

void ChangeSet::load(World &world, const std::string &module) {
    if (!world.modules.loaded(module)) {
        add(change_module(module));
    }
}

void ChangeSet::reload_systemd(const World &world) {
    if (!empty() && systemd_runs(world)) {
        add(refresh_program({"systemctl", "daemon-reload"}));
    }
}

bool systemd_runs(const World &world) {
    std::error_code failure;
    return fs::exists(world.places.systemd(), failure);
}

} // namespace causeway
