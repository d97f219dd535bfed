// SPDX-License-Identifier: GPL-2.0-or-later
// The changes of "nfs serve": an export, and nfsd itself.
#pragma once

#include "change/change.h"
#include "nfs/exportfs.h"

#include <filesystem>
#include <string>

namespace causeway {

// Makes (@served) or ends the exports of a drop-in of exports(5), and writes or removes the
// drop-in. An export that exportfs refuses without an fsid gets a random one. @others: commands to
// run after the exports have ended; they restore exports of the same folder that existed before, or
// that another file has.
ChangePointer change_nfs_export(std::filesystem::path place, std::string text, bool served,
                                CommandLines others);

// Gives the exports of a drop-in other hosts or options. Exports that stay keep their clients.
// @others: commands to run after undo has ended the exports that @after adds; they restore exports
// of the same folder that existed before.
ChangePointer change_nfs_export_settings(std::filesystem::path place, std::string before,
                                         std::string after, CommandLines others);

struct NfsdStart {
    std::filesystem::path own; // the drop-in of the folder that is served
    std::uint16_t port = 0;
    bool enable = false; // enable the unit of nfsd
    bool start = false;
    bool listen = false; // open the port if nfsd runs then
};
// @conf: the change of the drop-in of rpc.nfsd; null: it stays. While other folders are exported,
// undo leaves all of this. Undo without --force returns an error if nfsd would be stopped while it
// has clients.
ChangePointer change_nfsd(NfsdStart wanted, ChangePointer conf);

bool nfsd_is_enabled(World &world);
Result<bool> nfsd_listens_on(World &world, std::uint16_t port);

} // namespace causeway
