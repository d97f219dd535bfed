# SPDX-License-Identifier: GPL-2.0-or-later
"""The judgement is just: the kernel's own transport passes it at both ends, with every version of NFS."""
from machine.needs import module
from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"
REQUIRES = (module("rpcrdma"),)


def scenario(rig):
    nfs.judge_mix(nfs.IN_TREE, nfs.IN_TREE, rig)
