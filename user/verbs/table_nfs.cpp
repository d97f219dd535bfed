// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs of NFS over RDMA.
#include "verbs/tables.h"
#include "verbs/verbs.h"

namespace causeway {

namespace {

constexpr OptionSpec no_persist{"no-persist", "",
                                "until the next reboot only: write nothing under /etc"};

} // namespace

std::vector<Verb> nfs_verbs() {
    return {
        {"nfs serve",
         "PATH",
         "serve a folder by NFS over RDMA, now and at boot",
         {{"to", "CIDR...", "networks that may mount it; everyone where none is given", true},
          {"port", "N", "RDMA port of nfsd, 20049 where none is given"},
          {"read-only", "", "refuse writes"},
          {"options", "OPTIONS", "more export options, such as sec=krb5p,no_root_squash", false,
           false, 'o'},
          soft_option},
         1,
         1,
         true,
         run_nfs_serve},
        {"nfs unserve",
         "PATH",
         "stop serving it, now and at boot",
         {},
         1,
         1,
         true,
         run_nfs_unserve},
        {"nfs mount",
         "SERVER:PATH DIR",
         "mount by RDMA, or by TCP where there is no RDMA",
         {{"persist", "", "at boot too, by a systemd unit"},
          {"require", "rdma", "refuse where there is no RDMA"},
          {"options", "OPTIONS",
           "options of mount.nfs; port=N is the RDMA port, tcp-port=N the other", false, false,
           'o'},
          soft_option},
         2,
         2,
         true,
         run_nfs_mount},
        {"nfs umount",
         "DIR",
         "unmount, and no longer mount it at boot",
         {{"force", "", "even though its server does not answer"},
          {"lazy", "", "even while files of it are open"}},
         1,
         1,
         true,
         run_nfs_umount},
        {"nfs remount",
         "DIR...",
         "back to RDMA, or to the transport that is chosen now",
         {},
         1,
         64,
         true,
         run_nfs_remount},
        {"nfs transport",
         "[causeway|in-tree]",
         "show or choose whose kernel module carries NFS over RDMA",
         {},
         0,
         1,
         true,
         run_nfs_transport},
        {"nfs rule add",
         "CIDR",
         "mounts of servers in this network connect from these addresses",
         {{"from", "ADDRESS...", "local addresses, each another rail", true}, no_persist},
         1,
         1,
         true,
         run_nfs_rule_add},
        {"nfs rule remove", "CIDR", "forget such a rule", {}, 1, 1, true, run_nfs_rule_remove},
        {"nfs rule list", "", "show these rules", {}, 0, 0, false, run_nfs_rule_list},
    };
}

} // namespace causeway
