// SPDX-License-Identifier: GPL-2.0-or-later
#include "verbs/attaching.h"

#include "base/durable_file.h"
#include "config/host_id.h"
#include "config/key_file.h"
#include "kernel/refusal.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

// Two that start at once must not make up two identities for this machine.
Result<Uuid> this_host(World &world) {
    auto lock = FileLock::take(world.places.lock());
    if (!lock) {
        return lock.error();
    }
    return host_uuid(world.places);
}

Result<AttachRequest> request_for(World &world, const AttachmentSettings &settings,
                                  bool background) {
    AttachRequest request;
    request.server = settings.disk.server.text();
    request.name = settings.disk.name;
    request.queues = settings.queues;
    request.poll_queues = settings.poll_queues;
    request.depth = settings.depth;
    request.io_timeout = settings.io_timeout;
    request.fast_fail = settings.fast_fail;
    request.background = background;
    if (!settings.key_file.empty()) {
        auto key = read_key(settings.key_file);
        if (!key) {
            return key.error();
        }
        request.key = *std::move(key);
    }
    auto host = this_host(world);
    if (!host) {
        return host.error();
    }
    request.host = *host;
    return request;
}

} // namespace

Error not_attached(const DiskName &disk) {
    return Error{ExitCode::unavailable, fmt::format("{} is not attached", disk.text()),
                 "see what is: causeway list"};
}

Result<std::optional<AttachmentInfo>> running_attachment(World &world, const DiskName &disk) {
    auto attachments = world.kernel.attachments();
    if (!attachments) {
        return attachments.error();
    }
    const std::string server = disk.server.text();
    const auto found =
        std::find_if(attachments->begin(), attachments->end(), [&](const AttachmentInfo &info) {
            return info.server == server && info.name == disk.name;
        });
    return found == attachments->end() ? std::optional<AttachmentInfo>() : std::optional(*found);
}

Result<std::string> bring_up(World &world, const AttachmentSettings &settings, bool background) {
    auto addresses = world.resolver.resolve(settings.disk.server);
    if (!addresses) {
        return addresses.error();
    }
    auto request = request_for(world, settings, background);
    if (!request) {
        return request.error();
    }
    std::string earlier;
    for (std::size_t i = 0;; i++) {
        request->address = addresses->at(i);
        auto attached = world.kernel.attach(*request);
        if (attached) {
            return attached;
        }
        Error error = attached.error();
        if (i + 1 == addresses->size() || !is_of_the_network(error.system_error)) {
            error.what = fmt::format("cannot attach {} at {}: {}{}", settings.disk.text(),
                                     request->address.text(), error.what, earlier);
            return error;
        }
        earlier += fmt::format("; at {}: {}", request->address.text(), error.what);
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
