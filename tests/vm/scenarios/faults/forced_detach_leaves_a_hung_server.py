# SPDX-License-Identifier: GPL-2.0-or-later
"""A forced detach of a disk with two paths ends although the server's disk holds a write. The write fails, and no path carries
it again."""
from machine.needs import module
from machine.topology import Disk
from using import causeway, hold, paths

TIER = "long"
KERNELS = ("stock",)
TOPOLOGY = paths.topology(server={"disks": (Disk("store", "64M"),)})
REQUIRES = (module("dm_hold"),)
NAME = "10.0.0.1/h"


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"causeway export add h --device {hold.make(server, store)} --allow any")
    events = causeway.watch(client)
    paths.attach(client, "h", events)
    hold.arm(server)
    writer = client.start(hold.write(f"/dev/causeway/{NAME}", "A"))
    hold.wait_held(server)
    # A command may take 30 s before its path is given up.
    detached = client.run(f"causeway detach {NAME} --force", timeout=60)
    assert "export evict h" in detached.out, detached.out
    assert writer.wait(check=False).rc != 0
    hold.release(server)
    server.run("causeway export remove h --force")
    hold.remove(server)
