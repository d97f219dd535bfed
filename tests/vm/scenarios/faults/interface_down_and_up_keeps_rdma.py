# SPDX-License-Identifier: GPL-2.0-or-later
"""Soft-RoCE can still connect after its network interface was down for seconds, at either end: I/O
goes on."""
from using import causeway, verified

TIER = "long"
LEAVES = ("attachment", "export")

DISK = "/dev/causeway/10.0.0.1/m"


def scenario(rig):
    rig.server.run("causeway export add m --ram 64M --allow any")
    rig.client.run("causeway attach 10.0.0.1/m")
    events = causeway.watch(rig.client)
    for host in (rig.client, rig.server):
        fio = verified.start(rig.client, DISK, "--rw=randrw --bs=16k --iodepth=8 --size=16M --loops=2")
        host.run("ip link set eth0 down")
        # Both ends detect the loss while the interface can still send, long before probes would detect it.
        events.wait_for("down", timeout=4)
        # The time is long enough for a second disconnect request, if the first one was left without
        # an answer.
        host.run("read -rt 3 <> <(:) || :")
        host.run("ip link set eth0 up")
        events.wait_for("live over", timeout=60)
        verified.passes(fio)
        # The device itself still takes connections: a peer without a listener refuses at once.
        rig.server.run("causeway ping --ip 10.0.0.2")
