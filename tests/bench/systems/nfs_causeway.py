# SPDX-License-Identifier: GPL-2.0-or-later
"""NFS over causeway_rpcrdma, at both ends."""

from . import nfs

FILES, GROUNDS, before = nfs.FILES, nfs.GROUNDS, nfs.before

NAME = "nfs-causeway"


def start(server, client, ground, count):
    return nfs.start(server, ground, count, "causeway_rpcrdma")     # never two machines
