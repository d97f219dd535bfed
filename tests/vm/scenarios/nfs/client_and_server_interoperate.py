# SPDX-License-Identifier: GPL-2.0-or-later
"""mount -o rdma and rpc.nfsd --rdma work with every version of NFS and every combination of Causeway's
transport and the in-tree one at client and server. The in-tree transport at both ends shows that
the checks are correct."""
from machine.cases import case, for_each
from machine.needs import module
from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"
REQUIRES = (module("rpcrdma"),)


@for_each([case("causeway-causeway", nfs.CAUSEWAY, nfs.CAUSEWAY, TIER="check", LONG_KERNELS=("kasan", "lockdep"), REQUIRES=()),
           case("causeway-in-tree", nfs.CAUSEWAY, nfs.IN_TREE),
           case("in-tree-causeway", nfs.IN_TREE, nfs.CAUSEWAY, KERNELS=("kasan",)),
           case("in-tree-in-tree", nfs.IN_TREE, nfs.IN_TREE)])
def scenario(rig, _, client_transport, server_transport):
    nfs.judge_mix(client_transport, server_transport, rig)
