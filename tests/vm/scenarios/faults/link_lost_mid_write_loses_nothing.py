# SPDX-License-Identifier: GPL-2.0-or-later
"""A cable that is pulled for 5 s or more during verified writes loses nothing: I/O waits and goes
on."""
from using import causeway, verified

TIER = "check"
KERNELS = ("stock", "kasan")
LONG_KERNELS = ("lockdep",)
LEAVES = ("attachment", "export")
DISK = "/dev/causeway/10.0.0.1/m"


def scenario(rig):
    # This is the ACK timeout of users, not the rig's: no memory is registered in this scenario.
    for host in rig.server, rig.client:
        host.run("modprobe causeway ack_timeout=17")
    rig.server.run("causeway export add m --ram 64M --allow any")
    rig.client.run("causeway attach 10.0.0.1/m")
    events = causeway.watch(rig.client)
    fio = verified.start(rig.client, DISK, "--rw=randwrite --bs=4k --iodepth=16 --size=16M --loops=2")
    rig.client.link_down()
    # The server is silent: the session detects the loss by itself, not when the cable is back.
    events.wait_for("down", timeout=60)
    state = causeway.connection(rig.client)
    assert state["state"] != "live", state
    assert state["reason"], state
    rig.client.link_up()
    events.wait_for("live over", timeout=90)
    verified.passes(fio)
    state = causeway.connection(rig.client)
    assert state["state"] == "live" and state["reconnects"] >= 1, state
