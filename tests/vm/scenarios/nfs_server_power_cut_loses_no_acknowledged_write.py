# SPDX-License-Identifier: GPL-2.0-or-later
"""A server that lost its power and came back has every write that it had acknowledged, and the client just goes on."""
from rig import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"
KERNELS = ("stock", "kasan")
DIRTY = True


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.start(rig, durable=True)
    nfs.mount(client, "4.2")
    # Answers were remembered in memory, so what may be done but once is not tried here.
    load = nfs.Load(client, calls=False)
    server.power_cut()
    client.wait_for(nfs.DISCONNECTED, timeout=90)
    server.boot()
    nfs.choose(server, nfs.OURS)
    nfs.serve(server, fresh=False, durable=True)
    load.goes_on(timeout=180)
    load.end()
    nfs.finish(rig)
