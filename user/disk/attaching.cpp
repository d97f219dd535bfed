// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/attaching.h"

#include "base/durable_file.h"
#include "config/dropins.h"
#include "config/host_id.h"
#include "config/key_file.h"
#include "kernel/message_attributes.h"
#include "kernel/refusal.h"
#include "show/progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <type_traits>

namespace causeway {

namespace {

// The lock keeps two commands from making two UUIDs for this machine at the same time.
Result<HostId> this_host(World &world, const AttachmentSettings &settings) {
    if (settings.host) {
        return HostId{*settings.host};
    }
    const auto lock = TRY(FileLock::take(world.places.lock()));
    return host_id(world.places, world.boot);
}

// The warning that an exclusive disk can be attached again only with the same UUID of this host.
std::string fresh_host(const Places &places) {
    return fmt::format("the UUID of this host was made in this boot and kept in {}, because {} "
                       "holds no machine ID: if that file does not outlive the next reboot, this "
                       "host cannot take an exclusive disk back after it; give the same "
                       "--host-uuid each time",
                       places.host().string(), places.machine_id().string());
}

Result<AttachRequest> request_for(World &world, const AttachmentSettings &settings, bool background,
                                  std::vector<std::string> &warnings) {
    AttachRequest request;
    request.server = settings.disk.server.text();
    request.name = settings.disk.name;
    each_attribute(request, [&](int attribute, auto &member) {
        if constexpr (std::is_assignable_v<decltype(member), std::optional<std::uint32_t>>) {
            for (const AttachOption &option : attach_options) {
                if (option.attribute == attribute) {
                    member = settings.*option.value;
                }
            }
        }
    });
    request.background = background;
    request.identity = settings.identity;
    if (!settings.key_file.empty()) {
        auto key = TRY(read_key(settings.key_file));
        request.key = std::move(key);
    }
    auto host = TRY(this_host(world, settings));
    request.host = host.uuid;
    if (host.fresh) {
        warnings.push_back(fresh_host(world.places));
    }
    return request;
}

/* ---- paths ---- */

using PathAddresses = std::vector<DiskPathAddresses>;

// The kernel module has the same rule (cw_server_listen_tcp()).
Result<std::uint16_t> tcp_port(const ServerName &server) {
    if (server.port == UINT16_MAX) {
        return Error{ExitCode::usage,
                     fmt::format("{} has no port for TCP: it is the one after the port of RDMA",
                                 server.text()),
                     "use another port for the server"};
    }
    return static_cast<std::uint16_t>(server.port + 1);
}

// Returns the path once for each address of its name that it can have.
Result<PathAddresses> ends_of(Resolver &resolver, const DiskName &disk, const PathSettings &path) {
    ServerName server = disk.server;
    if (!path.address.empty()) {
        server.host = path.address;
    }
    const auto local = SocketAddress::from_text(path.from);
    PathAddresses ends;
    for (DiskPathAddresses &end : TRY(ends_of_server(resolver, server, path.tcp))) {
        if (!local || local->family() == end.address.family()) {
            end.local = local.value_or(SocketAddress());
            ends.push_back(end);
        }
    }
    if (ends.empty()) {
        return Error{
            ExitCode::unavailable,
            fmt::format("no address of '{}' is of the family of {}", server.host, path.from),
            "give an IPv4 address of this machine for an IPv4 address of the server, and "
            "an IPv6 address for an IPv6 address"};
    }
    return ends;
}

// Names may differ and have the same address.
Result<void> check_distinct(const AttachmentSettings &settings, const PathAddresses &paths) {
    for (std::size_t i = 0; i < paths.size(); i++) {
        for (std::size_t j = 0; j < i; j++) {
            if (have_same_ends(paths[i], paths[j])) {
                return Error{ExitCode::failed,
                             fmt::format("the paths {} and {} of {} are the same: both lead to {}",
                                         settings.paths[j].text(), settings.paths[i].text(),
                                         settings.disk.text(), paths[i].address.host_text()),
                             "give another address of the server for each path"};
            }
        }
    }
    return {};
}

// Returns the paths of each request that is worth a try, in their order.
Result<std::vector<PathAddresses>> choices_of(Resolver &resolver,
                                              const AttachmentSettings &settings) {
    std::vector<PathAddresses> choices;
    if (settings.paths.empty() || settings.paths.front().address.empty()) {
        const PathSettings only = settings.paths.empty() ? PathSettings() : settings.paths.front();
        for (const DiskPathAddresses &each : TRY(ends_of(resolver, settings.disk, only))) {
            choices.push_back({each});
        }
        return choices;
    }
    PathAddresses all;
    for (const PathSettings &path : settings.paths) {
        all.push_back(TRY(end_of_path(resolver, settings.disk, path)));
    }
    TRY(check_distinct(settings, all));
    choices.push_back(std::move(all));
    return choices;
}

// Older modules know a single path only, without a local address and by RDMA, in the attributes of
// the request.
void set_paths(AttachRequest &request, const PathAddresses &paths) {
    const bool plain = paths.size() == 1 && paths.front().local.empty() && !paths.front().transport;
    request.address = plain ? paths.front().address : SocketAddress();
    request.paths = plain ? PathAddresses() : paths;
}

std::string paths_text(const PathAddresses &paths) {
    std::string text;
    for (const DiskPathAddresses &path : paths) {
        text += fmt::format("{}{}", text.empty() ? "" : " and ", path.address.text());
        text += path.local.empty() ? "" : fmt::format(" from {}", path.local.host_text());
        text += path.transport ? " over TCP" : "";
    }
    return text;
}

} // namespace

std::filesystem::path attachment_lock(const Places &places, const DiskName &disk) {
    AttachmentSettings settings;
    settings.disk = disk;
    const auto dropin = dropin_place(places, settings).filename();
    return (places.attachment_locks() / dropin).replace_extension(".lock");
}

Result<std::optional<FileLock>> lock_attachment(const World &world, const DiskName &disk,
                                                bool dry_run) {
    if (dry_run) {
        return std::optional<FileLock>();
    }
    const Progress progress(
        world, fmt::format("waiting for another command that changes {}", disk.text()));
    return std::optional(TRY(FileLock::take(attachment_lock(world.places, disk))));
}

Error not_attached(const DiskName &disk) {
    return Error{ExitCode::unavailable, fmt::format("{} is not attached", disk.text()),
                 "see what is: causeway list"};
}

Result<std::optional<AttachmentInfo>> running_attachment(World &world, const DiskName &disk) {
    auto attachments = TRY(world.kernel.attachments());
    const std::string server = disk.server.text();
    const auto found =
        std::find_if(attachments.begin(), attachments.end(), [&](const AttachmentInfo &info) {
            return info.server == server && info.name == disk.name;
        });
    return found == attachments.end() ? std::optional<AttachmentInfo>() : std::optional(*found);
}

AttachNumbers numbers_of(const AttachmentInfo &info) {
    AttachNumbers numbers;
    each_attribute(info, [&](int attribute, const auto &member) {
        if constexpr (std::is_integral_v<std::decay_t<decltype(member)>>) {
            for (const AttachOption &option : attach_options) {
                if (option.attribute == attribute &&
                    option.is_known(static_cast<std::uint32_t>(member))) {
                    numbers.*option.value = member;
                }
            }
        }
    });
    return numbers;
}

std::vector<DiskPathAddresses> running_paths(const AttachmentInfo &info) {
    // Older modules report no paths.
    return info.paths.empty() ? std::vector<DiskPathAddresses>{{info.address, {}, {}, {}}}
                              : info.paths;
}

PathSettings settings_of(const DiskPathAddresses &path) {
    return {path.address.host_text(), path.local.host_text(), path.transport == CW_TRANSPORT_TCP};
}

Result<PathAddresses> ends_of_server(Resolver &resolver, const ServerName &server, bool tcp) {
    ServerName asked = server;
    if (tcp) {
        asked.port = TRY(tcp_port(server));
    }
    const auto transport = tcp ? std::optional<std::uint8_t>(CW_TRANSPORT_TCP) : std::nullopt;
    PathAddresses ends;
    for (const SocketAddress &address : TRY(resolver.resolve(asked))) {
        ends.push_back({address, {}, {}, transport});
    }
    return ends;
}

bool have_same_ends(const DiskPathAddresses &one, const DiskPathAddresses &other) {
    return one.address == other.address && one.local == other.local &&
           settings_of(one).tcp == settings_of(other).tcp;
}

Result<DiskPathAddresses> end_of_path(Resolver &resolver, const DiskName &disk,
                                      const PathSettings &path) {
    const auto ends = TRY(ends_of(resolver, disk, path));
    return ends.front();
}

Result<std::vector<PathSettings>> resolved_paths(Resolver &resolver,
                                                 const AttachmentSettings &settings) {
    std::vector<PathSettings> paths = settings.paths;
    for (PathSettings &path : paths) {
        if (!path.address.empty()) {
            const auto found = TRY(end_of_path(resolver, settings.disk, path));
            path.address = found.address.host_text();
        }
    }
    return paths;
}

Result<BroughtUp> bring_up(World &world, const AttachmentSettings &settings, bool background) {
    const auto choices = TRY(choices_of(world.resolver, settings));
    BroughtUp up;
    auto request = TRY(request_for(world, settings, background, up.warnings));
    std::string earlier;
    for (std::size_t i = 0;; i++) {
        set_paths(request, choices.at(i));
        auto attached = world.kernel.attach(request);
        if (attached) {
            up.disk = *std::move(attached);
            return up;
        }
        Error error = attached.error();
        const std::string where = paths_text(choices.at(i));
        if (i + 1 == choices.size() || !is_of_the_network(error.system_error)) {
            error.what = fmt::format("cannot attach {} at {}: {}{}", settings.disk.text(), where,
                                     error.what, earlier);
            return error;
        }
        earlier += fmt::format("; at {}: {}", where, error.what);
    }
}

} // namespace causeway
