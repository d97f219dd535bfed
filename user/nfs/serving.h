// SPDX-License-Identifier: GPL-2.0-or-later
// What "nfs serve" changes on this machine: an export, and nfsd itself.
#pragma once

#include "change/change.h"
#include "nfs/exportfs.h"

#include <filesystem>
#include <string>

namespace causeway {

// A drop-in of exports(5) and the exports in it, made or ended. A file system without an identity
// of its own gets an fsid. others: run when the exports have ended; they bring back exports of the
// same folder that were there before, or that another file has.
ChangePointer change_nfs_export(std::filesystem::path place, std::string text, bool served,
                                CommandLines others);

struct NfsdStart {
    std::filesystem::path own; // the drop-in that it is done for
    std::uint16_t port = 0;
    bool enable = false; // the unit of nfsd
    bool start = false;
    bool listen = false; // the port is opened where nfsd runs then
};
// conf: the drop-in of rpc.nfsd, null if it stays as it is. While other folders are served the way
// back leaves all of this. It is refused while nfsd has clients and would be stopped.
ChangePointer change_nfsd(NfsdStart wanted, ChangePointer conf);

bool nfsd_is_enabled(World &world);
Result<bool> nfsd_listens_on(World &world, std::uint16_t port);

} // namespace causeway
