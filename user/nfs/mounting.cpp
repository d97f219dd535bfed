// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/mounting.h"

#include "nfs/attempt.h"
#include "nfs/record.h"
#include "nfs/retrying.h"
#include "nfs/same_server.h"
#include "nfs/transport.h"

#include <algorithm>
#include <causeway.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <optional>
#include <system_error>

namespace causeway {

namespace {

Result<void> check_host(World &world) {
    if (world.processes.there("mount.nfs")) {
        return {};
    }
    return Error{ExitCode::unavailable, "mount.nfs is not installed: this machine cannot mount NFS",
                 "apt install nfs-common, or: dnf install nfs-utils"};
}

// The transport that the kernel reports; none if it reports none.
std::optional<std::uint8_t> reported(World &world, const std::string &directory) {
    const auto on = mounted_on(world.files, directory);
    return on && on->nfs && on->nfs->transport != CW_TRANSPORT_NONE
               ? std::optional(on->nfs->transport)
               : std::nullopt;
}

// Explains why a mount that had connected by RDMA uses TCP.
Error joined(World &world, const MountRequest &request) {
    const auto mounts = nfs_mounts(world.files);
    const auto others =
        mounts ? joined_by_tcp(*mounts, request.directory) : std::vector<NfsMount>();
    if (others.empty()) {
        return Error{
            ExitCode::try_again,
            fmt::format("the kernel has a client of {} that goes by TCP, and joined the mount to "
                        "it; no mount that is seen here uses that client",
                        request.source.server),
            hidden_mounts_fix};
    }
    // A server may have several addresses: the kernel identifies it by what the server reports of
    // itself.
    const bool by_other_name = others.front().server() != request.source.server;
    return Error{ExitCode::try_again,
                 fmt::format("the kernel joined the mount to its client of {}, {}which goes by TCP "
                             "for {}",
                             server_text(others.front()),
                             by_other_name ? "the same server by another name or address, " : "",
                             fmt::join(directories_of(others), ", ")),
                 fmt::format("remount all of them together: causeway nfs remount {}",
                             fmt::join(directories_of(others), " "))};
}

// Unmounts a folder for which RDMA was required, because it uses TCP or the kernel does not show
// its transport. Returns the reason as an error.
Error taken_back(World &world, const MountRequest &request, bool shown) {
    const Error why =
        shown
            ? joined(world, request)
            : Error{ExitCode::unavailable,
                    fmt::format("the kernel does not show the transport of {}", request.directory),
                    fmt::format("see: findmnt {}", request.directory)};
    Error error = cannot_mount(request, " by RDMA", why);
    if (auto gone = unmount(world, request.directory); !gone) {
        error.what += fmt::format("; and it stays mounted: {}", gone.error().what);
    }
    return error;
}

void keep(World &world, const MountRequest &request, MountOutcome &outcome) {
    MountRecord record{request.source.text(), request.directory, request.options.text(),
                       outcome.reason};
    record.kept = world.clock.now();
    if (const auto on = mounted_on(world.files, request.directory); on && on->nfs) {
        record.shown = on->nfs->source;
        record.mount_id = on->nfs->id;
        record.device = on->nfs->device;
    }
    if (auto kept = keep_record(world.places, record); !kept) {
        outcome.warnings.push_back(kept.error().what);
    }
}

// "nfs remount" mounts with the options on record, so the record gets ro or rw as given last.
Result<void> keep_access(World &world, const MountRequest &request, const NfsMount &mount) {
    auto record = record_of(world.places, mount, world.clock.now());
    const bool read_only = request.options.has("ro");
    if (!record || (!read_only && !request.options.has("rw"))) {
        return {};
    }
    auto options = TRY(parse_nfs_options(record->options));
    auto &passed = options.passed;
    passed.erase(std::remove_if(passed.begin(), passed.end(),
                                [](const std::string &one) { return one == "ro" || one == "rw"; }),
                 passed.end());
    passed.emplace_back(read_only ? "ro" : "rw");
    record->options = options.text();
    return keep_record(world.places, *record);
}

// Without a configured transport the loaded module stays, because an administrator chose to load
// it.
Result<void> settle_chosen(World &world, MountOutcome &outcome) {
    auto state = TRY(read_transport(world));
    if (state.configured == NfsTransport::causeway) {
        if (const auto stays = settle_transport(world, state)) {
            outcome.warnings.push_back(fmt::format("{} ({})", stays->what, stays->fix));
        }
    }
    return {};
}

} // namespace

Result<MountOutcome> mount_nfs(World &world, const MountRequest &request) {
    TRY(check_host(world));
    MountOutcome outcome;
    TRY(settle_chosen(world, outcome));
    auto tried = TRY(try_for_a_time(world, request));
    outcome.in_background = tried.in_background;
    outcome.reason = tried.reason;
    if (outcome.in_background) {
        return outcome;
    }
    const auto seen = reported(world, request.directory);
    outcome.transport = seen.value_or(tried.transport);
    if (outcome.transport == CW_TRANSPORT_RDMA && (seen || !request.options.require_rdma)) {
        // A mount by TCP may have joined a client that uses RDMA.
        outcome.reason.clear();
    } else if (request.options.require_rdma) {
        return taken_back(world, request, seen.has_value());
    } else if (tried.transport == CW_TRANSPORT_RDMA) {
        outcome.reason = joined(world, request).what;
    }
    keep(world, request, outcome);
    return outcome;
}

Result<void> mount_by_rdma(World &world, const MountRequest &request) {
    auto found = TRY(find_nfs_server(world, request));
    auto tried = TRY(attempt_rdma(world, request, found.family, request.options.rdma_limit));
    if (!tried.good) {
        return tried.error;
    }
    return {};
}

Result<MountOutcome> mount_by_tcp(World &world, const MountRequest &request,
                                  const std::string &reason) {
    auto found = TRY(find_nfs_server(world, request));
    auto tried = TRY(attempt_tcp(world, request, found.family));
    if (!tried.good) {
        return cannot_mount(request, "", tried.error);
    }
    MountOutcome outcome;
    outcome.transport = reported(world, request.directory).value_or(CW_TRANSPORT_TCP);
    outcome.reason = outcome.transport == CW_TRANSPORT_RDMA ? "" : reason;
    keep(world, request, outcome);
    return outcome;
}

Result<void> change_options(World &world, const MountRequest &request) {
    auto on = TRY(mounted_on(world.files, request.directory));
    if (!on.nfs) {
        return Error{ExitCode::unavailable,
                     fmt::format("no NFS is mounted on {}", request.directory),
                     "remount changes the options of what is mounted; see: findmnt -t nfs,nfs4"};
    }
    auto end = TRY(world.processes.run(
        mount_words(request, remount_options(request.options, *on.nfs), on.nfs->source)));
    if (!end.good()) {
        return Error{ExitCode::failed,
                     fmt::format("cannot change the options of {}: {}", request.directory,
                                 without_program(end.last_words())),
                     "most options can change only by umount and mount"};
    }
    return keep_access(world, request, *on.nfs);
}

Result<void> unmount(World &world, const std::string &directory,
                     const std::vector<std::string> &switches,
                     std::optional<std::chrono::seconds> limit) {
    std::vector<std::string> words = {"umount"};
    words.insert(words.end(), switches.begin(), switches.end());
    words.push_back(directory);
    auto end = TRY(world.processes.run(words, limit));
    if (end.good()) {
        return {};
    }
    if (end.timed_out) {
        return Error{ExitCode::try_again,
                     fmt::format("cannot unmount {}: its server does not answer", directory),
                     fmt::format("causeway nfs umount --force --lazy {}", directory)};
    }
    const bool busy = end.err.find("busy") != std::string::npos;
    Error error{busy ? ExitCode::try_again : ExitCode::failed,
                fmt::format("cannot unmount {}: {}", directory, without_program(end.last_words()))};
    if (busy) {
        error.fix = fmt::format("see who uses it, and end that: fuser -vm {}", directory);
    } else if (end.err.find("must be superuser") != std::string::npos) {
        error.code = ExitCode::no_permission;
        error.fix = "run the command as root";
    }
    return error;
}

std::string real_directory(const std::string &typed) {
    std::error_code failure;
    const std::string bare = typed.substr(0, typed.find_last_not_of('/') + 1);
    const auto absolute = std::filesystem::absolute(bare.empty() ? "/" : bare, failure);
    // Resolve only the parent: the folder may be a mount whose server does not answer.
    const auto parent = std::filesystem::weakly_canonical(absolute.parent_path(), failure);
    std::string text = failure ? absolute.lexically_normal().string()
                               : (parent / absolute.filename()).lexically_normal().string();
    // mount(8) also follows a link in the last component. Reading the link asks no server.
    const auto target = std::filesystem::read_symlink(text, failure);
    if (!failure) {
        const auto led = std::filesystem::weakly_canonical(
            std::filesystem::path(text).parent_path() / target, failure);
        text = failure ? text : led.lexically_normal().string();
    }
    while (text.size() > 1 && text.back() == '/') {
        text.pop_back();
    }
    return text;
}

} // namespace causeway
