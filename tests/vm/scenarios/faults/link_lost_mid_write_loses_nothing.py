# SPDX-License-Identifier: GPL-2.0-or-later
"""A cable pulled for 5 s or more in the middle of verified writes loses nothing: I/O waits and goes on."""
import json

TIER = "check"
KERNELS = ("stock", "kasan")
LONG_KERNELS = ("lockdep",)
LEAVES = ("attachment", "export")
DISK = "/dev/causeway/10.0.0.1/m"


def session(client):
    return json.loads(client.run("causeway --json net").out)["connections"][0]


def scenario(rig):
    # The timeout that users have, not the rig's: nothing is registered here.
    for host in rig.server, rig.client:
        host.run("modprobe causeway ack_timeout=17")
    rig.server.run("causeway export add m --ram 64M --allow any")
    rig.client.run("causeway attach 10.0.0.1/m")
    events = rig.client.start("causeway watch")
    events.wait_for("watching")
    fio = rig.client.start(
        f"fio --name=cut --filename={DISK} --direct=1 --ioengine=libaio --rw=randwrite --bs=4k --iodepth=16 "
        "--size=16M --loops=2 --verify=crc32c --verify_fatal=1 --status-interval=1")
    fio.wait_for("IOPS", timeout=60)
    rig.client.link_down()
    # The server is silent: the session notices by itself, not because the cable comes back.
    events.wait_for("down", timeout=60)
    state = session(rig.client)
    assert state["state"] != "live", state
    assert state["reason"], state
    rig.client.link_up()
    events.wait_for("live over", timeout=90)
    result = fio.wait(timeout=240)
    assert "err= 0" in result.out, result.out
    state = session(rig.client)
    assert state["state"] == "live" and state["reconnects"] >= 1, state
