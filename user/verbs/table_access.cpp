// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs that let traffic in and programs onto RDMA.
#include "verbs/tables.h"
#include "verbs/verbs.h"

namespace causeway {

std::vector<Verb> access_verbs() {
    std::vector<Verb> verbs = {
        {"firewall open",
         "",
         "let RDMA's packets in, in firewalld, ufw or nftables, now and at boot",
         {{"disks", "", "TCP 4793: disks by Soft-iWARP"},
          {"nfs", "", "TCP and UDP 20049, TCP 2049: NFS by RDMA and by TCP"},
          {"soft", "", "UDP 4791: RoCE v2 by software; all three where none is given"},
          {"zone", "ZONE", "of firewalld; its default zone where none is given"},
          {"backend", "firewalld|ufw|nftables", "instead of the one that runs"}},
         0,
         0,
         true,
         run_firewall_open},
        {"run",
         "CMD...",
         "run a program that uses TCP sockets over RDMA",
         {{"preload", "", "by rsockets: their library is loaded before its own"}},
         1,
         1000,
         false,
         run_run},
    };
    verbs.back().verbatim = true;
    return verbs;
}

} // namespace causeway
