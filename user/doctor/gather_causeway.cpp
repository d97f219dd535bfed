// SPDX-License-Identifier: GPL-2.0-or-later
// Causeway's own: what is configured, what our modules say, and NFS.
#include "doctor/gather.h"

#include "base/durable_file.h"
#include "config/key_file.h"
#include "nfs/exportfs.h"
#include "nfs/holders.h"
#include "nfs/record.h"
#include "nfs/server.h"
#include "owners/ledger.h"
#include "stock/exporting.h"

#include <algorithm>
#include <causeway.h>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace causeway {

namespace {

// The value, or a line of what is not known and the value's empty form.
template <typename T> T told_or_unseen(Result<T> result, std::string_view subject, Facts &facts) {
    if (result) {
        return *std::move(result);
    }
    facts.unseen.push_back(fmt::format("{}: {}", subject, result.error().what));
    return T();
}

void check_key(const std::string &name, const std::string &file, Facts &facts) {
    if (file.empty()) {
        return;
    }
    if (auto key = read_key(file); !key) {
        facts.bad_keys[name] = key.error().what;
    }
}

void gather_exports(World &world, Facts &facts) {
    facts.exports = told_or_unseen(load_exports(world.places), "exports", facts);
    facts.stock_files =
        told_or_unseen(load_stock_exports(world.places), "exports by stock transports", facts);
    for (const auto &stored : facts.exports.good) {
        const ExportSettings &it = stored.settings;
        std::error_code error;
        if (it.backend != Backend::ram && !std::filesystem::exists(it.path, error)) {
            facts.bad_backends[it.name] =
                fmt::format("the {} {} is not there", backend_text(it.backend), it.path);
        }
        check_key(it.name, it.key_file, facts);
    }
    facts.running_exports = told_or_unseen(world.kernel.exports(), "exports that run", facts);
    if (::access(world.places.owners().c_str(), X_OK) != 0 && errno == EACCES) {
        facts.unseen.push_back(
            fmt::format("ledgers: {}: {}", world.places.owners().string(), std::strerror(EACCES)));
        return;
    }
    for (const auto &stored : facts.exports.good) {
        const ExportSettings &it = stored.settings;
        const bool runs =
            std::any_of(facts.running_exports.begin(), facts.running_exports.end(),
                        [&](const ExportInfo &info) { return info.settings.name == it.name; });
        if (runs || !it.keeps_ledger() || !it.identity) {
            continue;
        }
        if (auto plan = plan_ledger(world, it, EarlierOwners::possible); !plan) {
            facts.bad_ledgers.emplace(it.name, plan.error());
        }
    }
}

void gather_stock(World &world, Facts &facts) {
    std::vector<std::string> unreadable;
    for (const StockExportSight &sight :
         told_or_unseen(stock_exports(world, facts.stock_files, unreadable),
                        "exports by the kernel's own targets", facts)) {
        facts.stock_exports.push_back(sight.settings);
    }
    for (const std::string &each : unreadable) {
        facts.unseen.push_back(each);
    }
}

void gather_attachments(World &world, Facts &facts) {
    facts.attachments = told_or_unseen(load_attachments(world.places), "disks", facts);
    facts.running_attachments =
        told_or_unseen(world.kernel.attachments(), "disks that are attached", facts);
    for (const auto &stored : facts.attachments.good) {
        const DiskName &disk = stored.settings.disk;
        check_key(disk.text(), stored.settings.key_file, facts);
        bool runs = false;
        for (const AttachmentInfo &running : facts.running_attachments) {
            runs |= running.server == disk.server.text() && running.name == disk.name;
        }
        if (runs) {
            continue;
        }
        if (auto addresses = world.resolver.resolve(disk.server); !addresses) {
            facts.unresolved[disk.server.host] = addresses.error().what;
        }
    }
    for (const AttachmentInfo &running : facts.running_attachments) {
        if (!running.disk.empty() &&
            !world.links.ready(world.links.link(running.server, running.name),
                               world.links.node(running.disk))) {
            facts.unlinked.insert(running.server + "/" + running.name);
        }
    }
    facts.sessions = told_or_unseen(world.kernel.sessions(), "connections", facts);
}

void gather_nfs(World &world, Facts &facts) {
    NfsFacts &nfs = facts.nfs;
    nfs.transport = told_or_unseen(see_transport(world), "NFS transport", facts);
    for (const NfsMount &mount : told_or_unseen(nfs_mounts(world.files), "NFS mounts", facts)) {
        const auto record = record_of(world.places, mount, world.clock.now());
        if (mount.transport != CW_TRANSPORT_RDMA && record && !record->reason.empty()) {
            auto users = world.mount_use.users(mount.directory);
            const auto more = kernel_users(world.files, mount.directory);
            users.insert(users.end(), more.begin(), more.end());
            nfs.by_tcp.push_back({mount, record->reason, std::move(users)});
        }
    }
    nfs.wanted_port = port_of_nfs_conf(text_of(world.places.nfs_conf()).value_or(""));
    nfs.server_runs = told_or_unseen(nfsd_runs(world.files), "nfsd", facts);
    nfs.ports = told_or_unseen(nfsd_ports(world.files), "ports of nfsd", facts);
    nfs.connections = told_or_unseen(world.kernel.nfs_connections(), "connections of NFS", facts);
    for (const std::filesystem::path &place : our_exports(world.places)) {
        if (is_open_unmarked(text_of(place).value_or(""))) {
            nfs.open_unmarked.push_back(place.string());
        }
    }
}

} // namespace

void gather_causeway(World &world, Facts &facts) {
    gather_exports(world, facts);
    gather_stock(world, facts);
    gather_attachments(world, facts);
    gather_nfs(world, facts);
}

} // namespace causeway
