# SPDX-License-Identifier: GPL-2.0-or-later
"""mount -o rdma and rpc.nfsd --rdma work with every version of NFS and every combination of our
transport and the kernel's own at client and server. The kernel's own at both ends shows that the
checks are correct."""
from machine.cases import case, for_each
from machine.needs import module
from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"
REQUIRES = (module("rpcrdma"),)


@for_each([case("ours-ours", nfs.OURS, nfs.OURS, TIER="check", LONG_KERNELS=("kasan", "lockdep"), REQUIRES=()),
           case("ours-kernel", nfs.OURS, nfs.IN_TREE),
           case("kernel-ours", nfs.IN_TREE, nfs.OURS, KERNELS=("kasan",)),
           case("kernel-kernel", nfs.IN_TREE, nfs.IN_TREE)])
def scenario(rig, _, client_transport, server_transport):
    nfs.judge_mix(client_transport, server_transport, rig)
