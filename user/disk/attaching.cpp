// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/attaching.h"

#include "base/durable_file.h"
#include "config/host_id.h"
#include "config/key_file.h"
#include "kernel/message_attributes.h"
#include "kernel/refusal.h"

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

} // namespace

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
                if (option.attribute == attribute) {
                    numbers.*option.value = member;
                }
            }
        }
    });
    return numbers;
}

Result<BroughtUp> bring_up(World &world, const AttachmentSettings &settings, bool background) {
    auto addresses = TRY(world.resolver.resolve(settings.disk.server));
    BroughtUp up;
    auto request = TRY(request_for(world, settings, background, up.warnings));
    std::string earlier;
    for (std::size_t i = 0;; i++) {
        request.address = addresses.at(i);
        auto attached = world.kernel.attach(request);
        if (attached) {
            up.disk = *std::move(attached);
            return up;
        }
        Error error = attached.error();
        if (i + 1 == addresses.size() || !is_of_the_network(error.system_error)) {
            error.what = fmt::format("cannot attach {} at {}: {}{}", settings.disk.text(),
                                     request.address.text(), error.what, earlier);
            return error;
        }
        earlier += fmt::format("; at {}: {}", request.address.text(), error.what);
    }
}

DiskPaths paths_now(World &world, const DiskName &name, const std::string &disk) {
    DiskPaths paths;
    if (disk.empty()) {
        return paths;
    }
    const auto node = world.links.node(disk);
    const auto link = world.links.link(name.server.text(), name.name);
    paths.node = node.string();
    if (world.links.ready(link, node)) {
        paths.link = link.string();
    }
    return paths;
}

} // namespace causeway
