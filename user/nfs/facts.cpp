// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the transport, the mounts by TCP, and the state of nfsd.
#include "nfs/facts.h"

#include "doctor/gather.h"
#include "nfs/exportfs.h"
#include "nfs/holders.h"
#include "nfs/record.h"

#include <causeway.h>

namespace causeway {

namespace {

const FactSource nfs_facts([](World &world, Facts &facts) {
    auto &nfs = facts.of<NfsFacts>();
    nfs.transport = facts.told_or_unseen(read_transport(world), "NFS transport");
    for (const NfsMount &mount : facts.told_or_unseen(nfs_mounts(world.files), "NFS mounts")) {
        const auto record = record_of(world.places, mount, world.clock.now());
        if (mount.transport != CW_TRANSPORT_RDMA && record && !record->reason.empty()) {
            auto users = world.mount_use.users(mount.directory);
            const auto more = kernel_users(world.files, mount.directory);
            users.insert(users.end(), more.begin(), more.end());
            nfs.by_tcp.push_back({mount, record->reason, std::move(users)});
        }
    }
    nfs.wanted_port = port_of_nfs_conf(text_of(world.places.nfs_conf()).value_or(""));
    nfs.server_runs = facts.told_or_unseen(nfsd_runs(world.files), "nfsd");
    nfs.ports = facts.told_or_unseen(nfsd_ports(world.files), "ports of nfsd");
    nfs.connections = facts.told_or_unseen(world.kernel.nfs_connections(), "connections of NFS");
    for (const std::filesystem::path &place : our_exports(world.places)) {
        if (is_open_unmarked(text_of(place).value_or(""))) {
            nfs.open_unmarked.push_back(place.string());
        }
    }
});

} // namespace

} // namespace causeway
