# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk works over iWARP: small and large verified writes, without messages that iWARP has no use for, and through a lost link."""
import json

from rig.topology import pair

TOPOLOGY = pair(rdma="siw")
# Debian's kernel has no siw.
KERNELS = ("kasan",)
TIER = "long"

DISK = "/dev/causeway/10.0.0.1/d"
# 256k does not fit into a message: the server reads it through memory regions.
FIO = f"fio --filename={DISK} --direct=1 --ioengine=libaio --verify=crc32c --verify_fatal=1 --rw=randwrite"


def live(client):
    connection, = json.loads(client.run("causeway --json net").out)["connections"]
    return connection


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add d --ram 64M")
    client.run("causeway attach 10.0.0.1/d")
    connection = live(client)
    assert connection["state"] == "live" and connection["transport"] == "rdma", connection
    assert client.run("rdma link show siw0/1").out.count("ACTIVE"), "the device is not siw"
    for size, depth in (("512", 4), ("4k", 16), ("16k", 8), ("256k", 4)):
        client.run(f"{FIO} --name=w{size} --bs={size} --iodepth={depth} --size=4M --number_ios=200 --minimal >/dev/null", timeout=120)

    events = client.start("causeway watch")
    events.wait_for("watching")
    cut = client.start(f"{FIO} --name=cut --bssplit=4k/60:256k/40 --iodepth=8 --size=16M --loops=2 --status-interval=1")
    cut.wait_for("IOPS", timeout=60)
    client.link_down()
    events.wait_for("down", timeout=60)
    client.link_up()
    events.wait_for("live over", timeout=90)
    result = cut.wait(timeout=300)
    assert "err= 0" in result.out, result.out
    assert live(client)["reconnects"] >= 1
    client.run("causeway detach 10.0.0.1/d")
