# SPDX-License-Identifier: GPL-2.0-or-later
"""The only path of a disk stays when its server is silent for a moment while I/O waits: nothing is won by its end. A disk with
another live path gives the silent one up that soon."""
from using import causeway, tracing

TIER = "long"
KERNELS = ("stock",)
LEAVES = ("export",)
DISK = "/dev/causeway/10.0.0.1/m"
FAST_MS = 50        # a path beside another one is given up after eight times as long
DEAD_MS = 25000     # the adapter gives its queue pair up a few seconds later
SILENCE = 16 * FAST_MS / 1000       # s; PROBEs of the same connection that are so far apart show that it was not given up
PROBE_TIMES = f"sed -nE 's/.* ([0-9.]+): cw_message_sent: client index 0 type 8 .*/\\1/p' {tracing.FOLDER}/trace"


def scenario(rig):
    server, client = rig.server, rig.client
    server.run(f"causeway export add m --ram 16M --allow any && echo {DEAD_MS} >/sys/module/causeway/parameters/dead_ms")
    client.run("causeway attach 10.0.0.1/m && udevadm settle")
    client.run(f"echo {FAST_MS} >/sys/module/causeway/parameters/fast_probe_ms")
    tracing.start(client, "causeway/cw_message_sent")
    server.link_down()
    writer = client.start(f"dd if=/dev/zero of={DISK} bs=4k count=1 oflag=direct conv=notrunc status=none")
    client.wait_for(f"{PROBE_TIMES} | awk 'NR == 1 {{ first = $1 }} END {{ exit !($1 - first >= {SILENCE}) }}'")
    assert writer.running
    server.link_up()
    writer.wait(timeout=60)
    client.run(f"echo 0 >{tracing.FOLDER}/events/enable")
    session = causeway.connection(client)
    assert session["state"] == "live" and session["reconnects"] == 0, session
    client.run("causeway detach 10.0.0.1/m")
