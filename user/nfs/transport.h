// SPDX-License-Identifier: GPL-2.0-or-later
// Which of the two kernel modules carries NFS over RDMA: Causeway's or the kernel's own. They have
// the same names and numbers, so only one can be loaded; a file of modprobe.d says which one is
// when "rpcrdma" is asked for.
#pragma once

#include "change/change.h"
#include "nfs/mounts.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

enum class NfsTransport { in_tree, causeway };

// "in-tree", "causeway".
std::string_view transport_name(NfsTransport transport);
// "rpcrdma", "causeway_rpcrdma".
const char *transport_module(NfsTransport transport);

// The drop-in for modprobe that makes Causeway's the one.
std::string transport_dropin_text();
// As versions before wrote it: in-tree rpcrdma could not be loaded then, whatever became of
// Causeway's.
bool is_former_dropin(std::string_view text);

struct TransportSight {
    NfsTransport configured = NfsTransport::in_tree;
    std::optional<NfsTransport> loaded;
    std::vector<NfsMount> mounts; // by RDMA
    bool listens = false;         // nfsd, by RDMA
};
Result<TransportSight> see_transport(World &world);

// The loaded module if it is not the configured one.
std::optional<NfsTransport> wrong_one(const TransportSight &sight);

// What has to be done until the configured one can be loaded: "umount /mnt; ...".
std::string way_out(const TransportSight &sight);

// Unloads the one that is not configured if nothing uses it. None: the right one is loaded or can
// be; else why the other one stays.
std::optional<Error> settle_transport(World &world, const TransportSight &sight);

// The same as a change; where the module stays, that is a warning. Its way back unloads the chosen
// one if before is the other one, and is refused while mounts or nfsd use it.
ChangePointer change_nfs_transport(NfsTransport chosen, NfsTransport before);

} // namespace causeway
