# SPDX-License-Identifier: GPL-2.0-or-later
"""Client and server detect by themselves that a cable was pulled during verified writes. The calls
wait, go on when the cable is back, and none is lost."""
from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "ci"
LONG_KERNELS = ("kasan",)


def scenario(rig):
    nfs.start(rig)
    nfs.mount(rig.client, "4.2")
    load = nfs.Load(rig.client)
    rig.client.link_down()
    rig.client.wait_for(nfs.DISCONNECTED, timeout=90)
    rig.client.link_up()
    load.end()
    nfs.finish(rig)
