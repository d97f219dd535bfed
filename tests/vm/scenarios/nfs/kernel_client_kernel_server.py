# SPDX-License-Identifier: GPL-2.0-or-later
"""The judgement is just: the kernel's own transport passes it at both ends, with every version of NFS."""
from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"


def scenario(rig):
    nfs.judge_mix(nfs.IN_TREE, nfs.IN_TREE, rig)
