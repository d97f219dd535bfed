# SPDX-License-Identifier: GPL-2.0-or-later
"""NFS over the kernel's own transports for RDMA."""

from . import nfs

FILES, GROUNDS, before = nfs.FILES, nfs.GROUNDS, nfs.before

NAME = "nfs-intree"


def start(server, client, ground, count):
    return nfs.start(server, ground, count, "rpcrdma")      # never two machines
