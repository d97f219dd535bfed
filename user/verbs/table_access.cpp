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
         {{"disks", "", "what exported disks need"},
          {"nfs", "", "what NFS needs, by RDMA at the port of nfs serve and by TCP 2049"},
          {"stock", "", "what the exports by NVMe, iSER, iSCSI and SRP need"},
          {"soft", "", "UDP 4791 alone, which every host with Soft-RoCE needs, also a client"},
          {"from", "any|NETWORK...", "whose packets are let in", true},
          {"zone", "ZONE",
           "of firewalld; the zones of the devices and senders where none is given"},
          {"backend", "firewalld|ufw|nftables", "instead of the one that runs"},
          {"at-boot", "", "as nftables.service calls it: opens again what was opened once", false,
           true}},
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
