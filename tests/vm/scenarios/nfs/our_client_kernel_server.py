# SPDX-License-Identifier: GPL-2.0-or-later
"""Our client and the transport that the kernel's own server has understand each other, with every version of NFS."""
from machine.needs import module
from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"
REQUIRES = (module("rpcrdma"),)


def scenario(rig):
    nfs.judge_mix(nfs.OURS, nfs.IN_TREE, rig)
