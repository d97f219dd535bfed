// SPDX-License-Identifier: GPL-2.0-or-later
// Chooses the kernel module for NFS over RDMA: Causeway's or the kernel's own. The two modules
// register the same names and numbers, so only one of them can be loaded at a time. A file of
// modprobe.d determines which one is loaded if "rpcrdma" is requested.
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

// Returns the drop-in for modprobe that configures Causeway's module. If that cannot be loaded,
// modprobe loads the kernel's own.
std::string transport_dropin_text();
// Returns true for the drop-in of earlier versions. With it in-tree rpcrdma cannot be loaded, even
// if Causeway's module cannot be loaded either.
bool is_former_dropin(std::string_view text);

struct TransportState {
    NfsTransport configured = NfsTransport::in_tree;
    std::optional<NfsTransport> loaded;
    std::vector<NfsMount> mounts; // by RDMA
    bool listens = false;         // nfsd listens by RDMA
};
Result<TransportState> read_transport(World &world);

// Returns the loaded module if it is not the configured one; else none.
std::optional<NfsTransport> wrong_one(const TransportState &state);

// Returns the commands after which the configured module can be used: "systemctl stop nfs-server;
// causeway nfs remount /mnt; systemctl start nfs-server".
std::string way_out(const TransportState &state);

// Unloads the module that is not configured if nothing uses it. Returns none if afterwards the
// configured module is loaded or can be loaded, else the reason why the other one stays.
std::optional<Error> settle_transport(World &world, const TransportState &state);

// The change that does the same. If the other module stays, that is a warning. Undo unloads the
// @chosen module unless it was configured @before, and returns an error while mounts or nfsd use
// it.
ChangePointer change_nfs_transport(NfsTransport chosen, NfsTransport before);

} // namespace causeway
