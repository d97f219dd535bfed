# SPDX-License-Identifier: GPL-2.0-or-later
"""mount -o rdma and rpc.nfsd --rdma work over our transports at both ends, with every version of NFS."""
from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "check"
LONG_KERNELS = ("kasan", "lockdep")


def scenario(rig):
    nfs.judge_mix(nfs.OURS, nfs.OURS, rig)
