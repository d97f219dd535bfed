# SPDX-License-Identifier: GPL-2.0-or-later
"""Causeway releases an RDMA device at once when it is removed during I/O, at either end. The disk
goes on when the device is back."""
from using import causeway, verified

TIER = "check"
KERNELS = ("lockdep",)
LONG_KERNELS = ("kasan",)
LEAVES = ("attachment", "export")
DISK = "/dev/causeway/10.0.0.1/m"


def scenario(rig):
    rig.server.run("causeway export add m --ram 64M --allow any")
    rig.client.run("causeway attach 10.0.0.1/m")
    events = causeway.watch(rig.client)
    for host in (rig.client, rig.server):
        fio = verified.start(rig.client, DISK, "--rw=randrw --bs=16k --iodepth=8 --size=16M --loops=2")
        # The command returns after Causeway has freed all its objects on the device.
        took = int(host.run("began=$(date +%s%N); rdma link del rxe0; echo $((($(date +%s%N) - began) / 1000000))").out)
        print(f"{host.name} let the device go in {took} ms")
        assert took < 5000 * host.agent.scale, took
        events.wait_for("down", timeout=60)
        host.run("rdma link add rxe0 type rxe netdev eth0")
        events.wait_for("live over", timeout=90)
        verified.passes(fio)
