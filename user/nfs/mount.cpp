// SPDX-License-Identifier: GPL-2.0-or-later
// nfs mount, nfs umount.
#include "base/durable_file.h"
#include "change/change_set.h"
#include "command/plan.h"
#include "command/verb.h"
#include "nfs/answer.h"
#include "nfs/mounting.h"
#include "nfs/record.h"
#include "nfs/units.h"
#include "soft/soft_device.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
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
    // Who typed this wants to see at once what is wrong; "bg" is for the unit of --persist.
    request.patience = request.options.retry.value_or(std::chrono::minutes(0));
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

// None: no unit is asked for, or it is there as it should be.
Result<std::optional<std::string>> unit_to_write(const World &world, const MountRequest &request,
                                                 bool persist) {
    if (!persist) {
        return std::optional<std::string>();
    }
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
    auto before = read_small_file(place);
    if (!before) {
        return before.error();
    }
    if (*before && **before != text) {
        return Error{ExitCode::failed,
                     fmt::format("{} is there already, with other settings", place.string()),
                     fmt::format("causeway nfs umount {}, then mount it again", request.directory)};
    }
    return *before ? std::optional<std::string>() : std::optional(text);
}

// True: it is mounted already; an error where something else is.
Result<bool> is_mounted(World &world, const MountRequest &request, MountOutcome &outcome) {
    auto on = mounted_on(world.files, request.directory);
    if (!on) {
        return on.error();
    }
    const std::string there = on->nfs ? on->nfs->source : on->other;
    if (there.empty()) {
        return false;
    }
    const auto record =
        on->nfs ? record_of(world.places, *on->nfs, world.clock.now()) : std::nullopt;
    if (!on->nfs || (record ? record->source : there) != request.source.text()) {
        return Error{ExitCode::failed,
                     fmt::format("{} is mounted on {}, not {}", there, request.directory,
                                 request.source.text()),
                     fmt::format("unmount it first: umount {}", request.directory)};
    }
    outcome.transport = on->nfs->transport;
    if (outcome.transport != CW_TRANSPORT_RDMA) {
        if (request.options.require_rdma) {
            return Error{ExitCode::failed,
                         fmt::format("{} is mounted already, and not by RDMA", request.directory),
                         fmt::format("causeway nfs remount {}", request.directory)};
        }
        outcome.reason = record ? record->reason : "";
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

Result<void> systemctl(World &world, std::vector<std::string> words) {
    words.insert(words.begin(), "systemctl");
    auto end = world.processes.run(words);
    if (!end) {
        return end.error();
    }
    if (!end->good()) {
        return Error{ExitCode::failed,
                     fmt::format("{} failed: {}", fmt::join(words, " "), end->last_words())};
    }
    return {};
}

Result<void> enable_unit(World &world, const std::string &directory, const std::string &text) {
    if (auto written = write_durably(unit_place(world, directory), text, 0644); !written) {
        return written;
    }
    if (auto told = systemctl(world, {"daemon-reload"}); !told) {
        return told;
    }
    return systemctl(world, {"enable", mount_unit_name(directory)});
}

// True: there was one of ours.
Result<bool> unit_is_ours(const World &world, const std::string &directory) {
    auto text = TRY(read_small_file(unit_place(world, directory)));
    return text && text->find("# Written by \"causeway nfs mount\"") == 0;
}

Result<void> disable_unit(World &world, const std::string &directory) {
    if (systemd_runs(world)) {
        if (auto told = systemctl(world, {"disable", mount_unit_name(directory)}); !told) {
            return told;
        }
    }
    TRY(remove_durably(unit_place(world, directory)));
    return systemd_runs(world) ? systemctl(world, {"daemon-reload"}) : Result<void>();
}

// Nothing stays of a mount whose unit failed: neither the unit nor what was mounted for it.
Error taken_back(World &world, const MountRequest &request, Error error, bool mounted_now) {
    error.what = fmt::format("{} is not mounted at boot: {}", request.directory, error.what);
    // A link of "enable" would point to nothing.
    static_cast<void>(systemctl(world, {"disable", mount_unit_name(request.directory)}));
    const auto removed = remove_durably(unit_place(world, request.directory));
    static_cast<void>(systemctl(world, {"daemon-reload"}));
    error.what += removed ? "; the unit is removed" : fmt::format("; and {}", removed.error().what);
    if (!mounted_now) {
        return error;
    }
    if (auto gone = unmount(world, request.directory); !gone) {
        error.what += fmt::format(", and it stays mounted: {}", gone.error().what);
        return error;
    }
    static_cast<void>(forget_record(world.places, request.directory));
    error.what += ", and it is unmounted again";
    if (error.fix.empty()) {
        error.fix = "mount it without --persist, or put the reason right and run this again";
    }
    return error;
}

Result<Answer> mount_folder(World &world, const Arguments &arguments) {
    auto request = TRY(request_of(arguments));
    auto unit = TRY(unit_to_write(world, request, arguments.has("persist")));
    MountOutcome outcome;
    auto mounted = TRY(is_mounted(world, request, outcome));
    if (arguments.dry_run()) {
        Plan plan;
        if (unit) {
            TRY(plan.write(unit_place(world, request.directory), *unit));
            plan.act(fmt::format("enable {}", mount_unit_name(request.directory)));
        }
        if (!mounted) {
            plan.act(fmt::format(
                "mount {} on {} by RDMA{}", request.source.text(), request.directory,
                request.options.require_rdma ? "" : ", or by TCP where there is no RDMA"));
        }
        return plan.answer();
    }
    if (!mounted) {
        TRY(check_directory(request.directory));
        outcome = TRY(mount_nfs(world, request));
    }
    if (unit) {
        if (auto enabled = enable_unit(world, request.directory, *unit); !enabled) {
            return taken_back(world, request, enabled.error(), !mounted);
        }
    }
    return mount_answer(request, outcome, !mounted || unit);
}

Result<Answer> run_nfs_mount(World &world, const Arguments &arguments) {
    return with_soft_device(world, arguments, mount_folder);
}

Result<Answer> run_nfs_umount(World &world, const Arguments &arguments) {
    const std::string directory = real_directory(arguments.operands().front());
    auto on = mounted_on(world.files, directory);
    if (!on) {
        return on.error();
    }
    if (!on->other.empty()) {
        return Error{ExitCode::unavailable,
                     fmt::format("on {} is no NFS but {}", directory, on->other),
                     "see what is mounted by NFS: causeway net"};
    }
    auto unit = unit_is_ours(world, directory);
    if (!unit) {
        return unit.error();
    }
    if (arguments.dry_run()) {
        Plan plan;
        if (on->nfs) {
            plan.act(fmt::format("unmount {} from {}", on->nfs->source, directory));
        }
        if (*unit) {
            TRY(plan.remove(unit_place(world, directory)));
        }
        return plan.answer();
    }
    if (on->nfs) {
        std::vector<std::string> switches;
        if (arguments.has("force")) {
            switches.emplace_back("-f");
        }
        if (arguments.has("lazy")) {
            switches.emplace_back("-l");
        }
        TRY(unmount(world, directory, switches));
    }
    if (*unit) {
        TRY(disable_unit(world, directory));
    }
    Answer answer;
    if (auto gone = forget_record(world.places, directory); !gone) {
        answer.warnings.push_back(gone.error().what);
    }
    answer.json = {{"directory", directory}, {"changed", on->nfs.has_value() || *unit}};
    answer.text = on->nfs ? fmt::format("{} is unmounted\n", directory)
                  : *unit ? fmt::format("{} is no longer mounted at boot\n", directory)
                          : fmt::format("nothing is mounted on {}\n", directory);
    return answer;
}

const VerbRows mount_rows(Section::nfs, 2, [] {
    return std::vector<Verb>{
        {
            .words = "nfs mount",
            .operands = "SERVER:PATH DIR",
            .summary = "mount by RDMA, or by TCP where there is no RDMA",
            .options = {{"persist", "", "at boot too, by a systemd unit"},
                        {"require", "rdma", "refuse where there is no RDMA"},
                        {"options", "OPTIONS",
                         "options of mount.nfs; port=N is the RDMA port, tcp-port=N the other",
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
            .summary = "unmount, and no longer mount it at boot",
            .options = {{"force", "", "even though its server does not answer"},
                        {"lazy", "", "even while files of it are open"}},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_nfs_umount,
        },
    };
});

} // namespace

} // namespace causeway
