# SPDX-License-Identifier: GPL-2.0-or-later
"""The transport of the kernel's own client and our server understand each other, with every version of NFS."""
from machine.needs import module
from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"
KERNELS = ("kasan",)
REQUIRES = (module("rpcrdma"),)


def scenario(rig):
    nfs.judge_mix(nfs.IN_TREE, nfs.OURS, rig)
