# SPDX-License-Identifier: GPL-2.0-or-later
"""A server may have nothing left of a lost path while the client still drains its links. The writes of that path are sent again
when both have ended, and not before."""
from machine.needs import module
from using import causeway, paths, tracing

TIER = "long"
KERNELS = ("stock",)
TOPOLOGY = paths.topology()
REQUIRES = (module("slow_drain"),)
LEAVES = ("export",)
NAME = "10.0.0.1/m"
DISK = f"/dev/causeway/{NAME}"
DRAIN = "/sys/module/slow_drain/parameters"
FENCED = "client index 0 type 21 "


def scenario(rig):
    server, client = rig.server, rig.client
    events = paths.serve_by_one(server, client, "m")
    client.run(f"modprobe slow_drain && echo 1 >{DRAIN}/hold && head -c 4096 /dev/urandom >/tmp/page")
    tracing.start(client, "causeway/cw_message_received")
    writer = paths.lose_with_write(server, client, "m", events, "/tmp/page")
    client.wait_for(f"grep -q '{FENCED}' {tracing.FOLDER}/trace")
    # Other I/O goes on, and the server has no command of the lost path.
    client.run(f"dd if=/tmp/page of={DISK} bs=4k seek=9 oflag=direct conv=notrunc status=none")
    assert writer.running and int(client.read(f"{DRAIN}/waiting")) == 1, client.read(f"{DRAIN}/waiting")
    client.run(f"echo 0 >{DRAIN}/hold && echo 0 >{tracing.FOLDER}/events/enable")
    writer.wait(timeout=60)
    server.link_up(0)
    events.wait_for("path 0 is live", timeout=90)
    client.run(f"for block in 7 9; do dd if={DISK} bs=4k skip=$block count=1 iflag=direct status=none | cmp - /tmp/page || exit; done")
    assert causeway.connection(client)["reconnects"] == 0, causeway.connection(client)
    client.run(f"udevadm settle; causeway detach {NAME} && rmmod slow_drain")
