// SPDX-License-Identifier: GPL-2.0-or-later
// Completes names of exports, hosts, attached disks and servers for shells.
#include "command/completion.h"

namespace causeway {

namespace {

using Names = std::vector<std::string>;

Names exports(World &world) {
    Names names;
    if (const auto found = world.kernel.exports()) {
        for (const ExportInfo &info : *found) {
            names.push_back(info.settings.name);
        }
    }
    return names;
}

// UUIDs, which are never ambiguous, and the names that belong to them.
Names hosts(World &world) {
    Names names;
    if (const auto found = world.kernel.owners()) {
        for (const OwnerInfo &info : *found) {
            if (!info.host.is_nil()) {
                names.push_back(info.host.text());
            }
            if (!info.host_name.empty()) {
                names.push_back(info.host_name);
            }
        }
    }
    return names;
}

Names attachments(World &world) {
    Names names;
    if (const auto found = world.kernel.attachments()) {
        for (const AttachmentInfo &info : *found) {
            names.push_back(info.server + "/" + info.name);
        }
    }
    return names;
}

// The server's addresses of the paths of all disks.
Names paths(World &world) {
    Names names;
    if (const auto found = world.kernel.sessions()) {
        for (const SessionInfo &info : *found) {
            for (const DiskPath &path : info.paths) {
                names.push_back(path.peer.host_text());
            }
        }
    }
    return names;
}

Names servers(World &world) {
    Names names;
    if (const auto found = world.kernel.attachments()) {
        for (const AttachmentInfo &info : *found) {
            names.push_back(info.server);
        }
    }
    return names;
}

const CompletionSource source_of_device_to_export("DEVICE", FileKind::any, "export add");
const CompletionSource source_of_export_to_remove("export remove", "NAME", exports);
const CompletionSource source_of_host_to_evict("export evict", "UUID|ADDRESS|NAME", hosts);
const CompletionSource source_of_host_to_readmit("export readmit", "UUID|ADDRESS|NAME", hosts);
const CompletionSource source_of_export_to_evict_of("export evict", "NAME", exports);
const CompletionSource source_of_export_to_readmit_to("export readmit", "NAME", exports);
const CompletionSource source_of_path_to_remove("path remove", "ADDRESS|NUMBER", paths);
const CompletionSource source_of_server_to_ping("ping", "ADDRESS", servers);
const CompletionSource source_of_attached_disk("", "SERVER/NAME", attachments);
const CompletionSource source_of_server_and_port("", "SERVER[:PORT]", servers);
const CompletionSource source_of_known_server("", "SERVER", servers);

} // namespace

} // namespace causeway
