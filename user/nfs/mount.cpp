// SPDX-License-Identifier: GPL-2.0-or-later
// nfs mount, nfs umount.
#include "change/carry_out.h"
#include "change/look.h"
#include "command/verb.h"
#include "nfs/answer.h"
#include "nfs/mount_change.h"
#include "nfs/removal.h"
#include "nfs/units.h"
#include "soft/soft_device.h"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

fs::path unit_place(const World &world, const std::string &directory) {
    return world.places.units() / mount_unit_name(directory);
}

Result<MountRequest> request_of(const Arguments &arguments) {
    MountRequest request;
    auto source = TRY(parse_nfs_source(arguments.operands()[0]));
    request.source = std::move(source);
    request.directory = real_directory(arguments.operands()[1]);
    auto options = TRY(parse_nfs_options(arguments.text("options").value_or("")));
    request.options = std::move(options);
    if (request.options.remount) {
        return Error{ExitCode::usage, "the option remount changes what is mounted already",
                     "write: mount -o remount,OPTIONS DIR"};
    }
    if (const auto required = arguments.text("require")) {
        if (*required != "rdma") {
            return Error{
                ExitCode::usage,
                fmt::format("'--require {}' is unknown: only RDMA can be required", *required),
                "write --require rdma"};
        }
        request.options.require_rdma = true;
    }
    return request;
}

fs::path link_place(const World &world, const std::string &directory) {
    return world.places.units() / mount_unit_wanted_by / mount_unit_name(directory);
}

// Adds the unit of --persist, and the link by which "systemctl enable" enables it.
Result<void> add_unit(World &world, const MountRequest &request, ChangeSet &set) {
    const std::string options = request.options.text();
    if (!systemd_runs(world)) {
        return Error{ExitCode::unavailable,
                     "--persist writes a unit of systemd, and systemd does not run here",
                     fmt::format("add to /etc/fstab: {} {} nfs-causeway _netdev{}{} 0 0",
                                 request.source.text(), request.directory,
                                 options.empty() ? "" : ",", options)};
    }
    const std::string text = mount_unit_text(request.source.text(), request.directory, options);
    const fs::path place = unit_place(world, request.directory);
    const auto before = TRY(look_at_file(place));
    if (before.content && *before.content != text) {
        return Error{ExitCode::failed,
                     fmt::format("{} is there already, with other settings", place.string()),
                     fmt::format("causeway nfs umount {}, then mount it again", request.directory)};
    }
    const fs::path link = link_place(world, request.directory);
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

// Removes the unit of --persist if Causeway wrote it. A file that cannot be removed does not
// prevent the unmount.
void remove_unit(World &world, const std::string &directory, ChangeSet &set, Removals &removals) {
    const fs::path place = unit_place(world, directory);
    const auto text = removals.read(place);
    if (!text || text->find("# Written by \"causeway nfs mount\"") != 0) {
        return;
    }
    removals.remove_link(set, link_place(world, directory));
    removals.remove_file(set, place);
    set.reload_systemd(world);
}

// Returns true if the source is mounted there already, or an error if something else is mounted.
Result<bool> is_mounted(World &world, const MountRequest &request, MountOutcome &outcome) {
    auto on = TRY(mounted_on(world.files, request.directory));
    const std::string there = on.nfs ? on.nfs->source : on.other;
    if (there.empty()) {
        return false;
    }
    const MountRecord words = on.nfs ? words_of(world, *on.nfs) : MountRecord();
    if (words.source != request.source.text()) {
        return Error{ExitCode::failed,
                     fmt::format("{} is mounted on {}, not {}", there, request.directory,
                                 request.source.text()),
                     fmt::format("unmount it first: umount {}", request.directory)};
    }
    outcome.transport = on.nfs->transport;
    if (outcome.transport != CW_TRANSPORT_RDMA) {
        if (request.options.require_rdma) {
            return Error{ExitCode::failed,
                         fmt::format("{} is mounted already, and not by RDMA", request.directory),
                         fmt::format("causeway nfs remount {}", request.directory)};
        }
        outcome.reason = words.reason;
    }
    return true;
}

Result<void> check_directory(const std::string &directory) {
    std::error_code failure;
    if (!fs::is_directory(directory, failure)) {
        return Error{ExitCode::unavailable, fmt::format("there is no folder {}", directory),
                     fmt::format("mkdir -p {}", directory)};
    }
    return {};
}

Result<Answer> mount_folder(World &world, const Arguments &arguments) {
    auto request = TRY(request_of(arguments));
    const std::string source = request.source.text();
    ChangeSet set(fmt::format("nfs mount {} {}", source, request.directory), Scope::disks);
    MountResult result;
    if (!TRY(is_mounted(world, request, result.outcome))) {
        TRY(check_directory(request.directory));
        set.add(change_nfs_mount({source, request.directory, request.options.text(), ""},
                                 MountWay::any, &result));
    }
    if (arguments.has("persist")) {
        TRY(add_unit(world, request, set));
    }
    auto answer = carry_out(world, {arguments.dry_run()}, set, "it is mounted");
    if (!answer || arguments.dry_run()) {
        return answer;
    }
    return said_instead(*std::move(answer), mount_answer(request, result.outcome, !set.empty()));
}

Result<Answer> run_nfs_mount(World &world, const Arguments &arguments) {
    return with_soft_device(world, arguments, mount_folder);
}

Result<Answer> run_nfs_umount(World &world, const Arguments &arguments) {
    const std::string directory = real_directory(arguments.operands().front());
    auto on = TRY(mounted_on(world.files, directory));
    if (!on.other.empty()) {
        return Error{ExitCode::unavailable,
                     fmt::format("on {} is no NFS but {}", directory, on.other),
                     "see what is mounted by NFS: causeway net"};
    }
    ChangeSet set("nfs umount " + directory, Scope::disks);
    if (on.nfs) {
        std::vector<std::string> switches;
        if (arguments.has("force")) {
            switches.emplace_back("-f");
        }
        if (arguments.has("lazy")) {
            switches.emplace_back("-l");
        }
        set.add(change_nfs_umount(words_of(world, *on.nfs), MountWay::any, switches));
    }
    Removals removals;
    remove_unit(world, directory, set, removals);
    auto answer = carry_out(world, {arguments.dry_run()}, set, "nothing is mounted there");
    if (!answer || arguments.dry_run()) {
        return answer;
    }
    if (auto gone = on.nfs ? Result<void>() : forget_record(world.places, directory); !gone) {
        answer->warnings.push_back(gone.error().what);
    }
    Answer said = removals.said();
    said.json["directory"] = directory;
    said.text = on.nfs        ? fmt::format("{} is unmounted\n", directory)
                : set.empty() ? fmt::format("nothing is mounted on {}\n", directory)
                              : fmt::format("{} is no longer mounted at boot\n", directory);
    return said_instead(*std::move(answer), said);
}

const VerbRows mount_rows(Section::nfs, 2, [] {
    return std::vector<Verb>{
        {
            .words = "nfs mount",
            .operands = "SERVER:PATH DIR",
            .summary = "mount by RDMA, or by TCP where RDMA fails",
            .options = {{"persist", "", "mount at boot too, by a systemd unit"},
                        {"require", "rdma", "fail where RDMA fails, do not use TCP"},
                        {"options", "OPTIONS",
                         "options of mount.nfs; port=N is the RDMA port, tcp-port=N the TCP port, "
                         "rdma-timeout=N the seconds to wait for RDMA",
                         false, false, 'o'},
                        soft_option},
            .least_operands = 2,
            .most_operands = 2,
            .changes = true,
            .run = run_nfs_mount,
        },
        {
            .words = "nfs umount",
            .operands = "DIR",
            .summary = "unmount a directory, and no longer mount it at boot",
            .options = {{"force", "", "unmount even if the server does not answer"},
                        {"lazy", "", "unmount even while files are open"}},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_nfs_umount,
        },
    };
});

} // namespace

} // namespace causeway
