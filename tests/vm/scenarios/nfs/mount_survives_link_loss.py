# SPDX-License-Identifier: GPL-2.0-or-later
"""A cable pulled in the middle of verified writes is detected without a command; calls wait, then go on, none lost."""
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
