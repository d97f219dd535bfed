# SPDX-License-Identifier: GPL-2.0-or-later
"""A cable that is pulled for 5 s or more during verified writes loses nothing: I/O waits and goes
on."""
from using import causeway, verified

TIER = "check"
KERNELS = ("stock", "kasan")
LONG_KERNELS = ("lockdep",)
LEAVES = ("attachment", "export")
AT = "/dev/causeway/10.0.0.1/"


def scenario(rig):
    # This is the ACK timeout of users, not the rig's: no memory is registered in this scenario.
    for host in rig.server, rig.client:
        host.run("modprobe causeway ack_timeout=17")
    for name, size, options in ("m", "64M", ""), ("one", "8M", "--queues 1 --depth 1"):
        rig.server.run(f"causeway export add {name} --ram {size} --allow any")
        rig.client.run(f"causeway attach 10.0.0.1/{name} {options}")
    events = causeway.watch(rig.client)
    jobs = [verified.start(rig.client, AT + "m", "--rw=randwrite --bs=4k --iodepth=16 --size=16M --loops=2"),
            # All of these commands have the same slot, which is the first and the last one.
            verified.start(rig.client, AT + "one", "--rw=randwrite --bs=4k --size=4M --time_based --runtime=1m")]
    rig.client.link_down()
    # The server is silent: the session detects the loss by itself, not when the cable is back.
    events.wait_for("down 10.0.0.1/m", timeout=60)
    state = causeway.connection(rig.client)
    assert state["name"] == "m" and state["state"] != "live", state
    assert state["reason"], state
    rig.client.link_up()
    for fio in jobs:
        verified.passes(fio)
    for state in causeway.connections(rig.client):
        assert state["state"] == "live" and state["reconnects"] >= 1, state
