// SPDX-License-Identifier: GPL-2.0-or-later
// nfs mount, nfs umount.
#include "change/carry_out.h"
#include "command/verb.h"
#include "nfs/answer.h"
#include "nfs/at_boot.h"
#include "nfs/mount_change.h"
#include "nfs/record.h"
#include "nfs/removal.h"
#include "soft/soft_device.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

// A line break would start another line of the unit that mounts the folder at boot.
Result<void> expect_plain(const char *what, const std::string &text) {
    const bool plain = std::none_of(text.begin(), text.end(), [](char c) {
        const auto code = static_cast<unsigned char>(c);
        return code < 0x20 || code == 0x7f;
    });
    if (plain) {
        return {};
    }
    return Error{ExitCode::usage, fmt::format("a control character is in the {}", what),
                 "leave out line breaks, tabs and the like"};
}

Result<MountRequest> request_of(const Arguments &arguments) {
    MountRequest request;
    TRY(expect_plain("source", arguments.operands()[0]));
    TRY(expect_plain("options", arguments.text("options").value_or("")));
    auto source = TRY(parse_nfs_source(arguments.operands()[0]));
    request.source = std::move(source);
    request.directory = real_directory(arguments.operands()[1]);
    TRY(expect_plain("folder", request.directory));
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

// The folder is mounted already. Takes the options of the mount if none are typed, so that the
// folder is mounted in the same way at boot. Returns an error if others are typed. For a mount by
// another program, only an option that contradicts those that the kernel shows is an error.
Result<void> keep_options(World &world, const Arguments &arguments, MountRequest &request) {
    const auto on = TRY(mounted_on(world.files, request.directory));
    if (!on.nfs) {
        return {};
    }
    NfsOptions there = TRY(parse_nfs_options(words_of(world, *on.nfs).options));
    if (!arguments.has("options")) {
        there.require_rdma |= request.options.require_rdma;
        request.options = std::move(there);
        return {};
    }
    there.require_rdma = request.options.require_rdma;
    const bool ours =
        find_record(world.places, request.source.text(), request.directory).has_value();
    if (ours ? same_options(there, request.options) : !contradicts(request.options, there)) {
        return {};
    }
    return Error{ExitCode::failed,
                 fmt::format("{} is mounted with other options: '{}', not '{}'", request.directory,
                             there.text(), request.options.text()),
                 fmt::format("leave out --options to keep these; or: causeway nfs umount {}, then "
                             "mount it again",
                             request.directory)};
}

Result<void> check_persistence(const Arguments &arguments, std::vector<std::string> &warnings) {
    if (!arguments.has("persist")) {
        return {};
    }
    if (arguments.has("no-persist")) {
        return Error{ExitCode::usage, "--persist and --no-persist contradict each other",
                     "leave --persist out: it is the default"};
    }
    warnings.emplace_back("--persist is the default now, and the option will go: leave it out");
    return {};
}

// Adds what mounts the folder at boot to the answer.
void add_at_boot(const World &world, const std::string &directory, Answer &said) {
    const std::string by = mounted_at_boot_by(world.places, directory);
    said.json["at_boot"] = or_null(by);
    if (by == "unit") {
        said.text += fmt::format("{} mounts it at boot\n", mount_unit_name(directory));
    }
}

Result<Answer> mount_folder(World &world, const Arguments &arguments) {
    auto request = TRY(request_of(arguments));
    std::vector<std::string> warnings;
    TRY(check_persistence(arguments, warnings));
    const std::string source = request.source.text();
    ChangeSet set(fmt::format("nfs mount {} {}", source, request.directory), Scope::disks);
    MountResult result;
    if (TRY(is_mounted(world, request, result.outcome))) {
        TRY(keep_options(world, arguments, request));
    } else {
        TRY(check_directory(request.directory));
        set.add(change_nfs_mount({source, request.directory, request.options.text(), ""},
                                 MountWay::any, &result));
    }
    if (!arguments.has("no-persist")) {
        TRY(plan_mount_at_boot(world, request, set, warnings));
    }
    auto answer = carry_out(world, {arguments.dry_run()}, set, "it is mounted");
    if (!answer) {
        return answer;
    }
    if (arguments.dry_run()) {
        answer->warnings.insert(answer->warnings.end(), warnings.begin(), warnings.end());
        return answer;
    }
    Answer said = mount_answer(request, result.outcome, !set.empty());
    add_at_boot(world, request.directory, said);
    said.warnings.insert(said.warnings.end(), warnings.begin(), warnings.end());
    return said_instead(*std::move(answer), said);
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
    plan_no_mount_at_boot(world, directory, set, removals);
    auto answer = carry_out(world, {arguments.dry_run()}, set, "nothing is mounted there");
    if (!answer || arguments.dry_run()) {
        return answer;
    }
    if (auto gone = on.nfs ? Result<void>() : forget_record(world.places, directory); !gone) {
        answer->warnings.push_back(gone.error().what);
    }
    Answer said = removals.said();
    if (const auto line = line_of_fstab(world.places, directory); line && *line) {
        said.warnings.push_back(
            fmt::format("/etc/fstab mounts {} again at boot: {}", directory, (*line)->text));
    }
    said.json["directory"] = directory;
    said.text = on.nfs        ? fmt::format("{} is unmounted\n", directory)
                : set.empty() ? fmt::format("nothing is mounted on {}\n", directory)
                              : fmt::format("{} is no longer mounted at boot\n", directory);
    return said_instead(*std::move(answer), said);
}

const VerbRows mount_rows(Section::nfs, 3, [] {
    return std::vector<Verb>{
        {
            .words = "nfs mount",
            .operands = "SERVER:PATH DIR",
            .summary = "mount by RDMA, or by TCP where RDMA fails, now and at boot",
            .options = {no_persist,
                        {"persist", "", "the default", false, true},
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
