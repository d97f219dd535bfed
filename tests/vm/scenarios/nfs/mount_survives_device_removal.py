# SPDX-License-Identifier: GPL-2.0-or-later
"""Causeway releases an RDMA device at once when it is removed under a mount, at either end. The
mount goes on when the device is back."""
from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"
KERNELS = ("lockdep", "kasan")


def scenario(rig):
    nfs.start(rig)
    nfs.mount(rig.client, "4.2")
    load = nfs.Load(rig.client)
    for host in rig.client, rig.server:
        # The command returns after Causeway has freed all its objects on the device.
        took = int(host.run("began=$(date +%s%N); rdma link del rxe0; echo $((($(date +%s%N) - began) / 1000000))", timeout=60).out)
        rig.say(f"{host.name} let the device go in {took} ms")
        assert took < 5000 * host.agent.scale, took
        host.run("rdma link add rxe0 type rxe netdev eth0")
        load.goes_on()
    load.end()
    nfs.finish(rig)
