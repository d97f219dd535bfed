# SPDX-License-Identifier: GPL-2.0-or-later
"""A write that the server's disk still holds when its path is lost is sent again on the other path only when the server has
nothing left of it. So a newer write of the same block, which follows the completion of the first, is never undone. Other I/O
goes on meanwhile. This holds by each policy of the paths."""
from machine.needs import module
from machine.topology import Disk
from using import causeway, hold, paths

TIER = "check"
KERNELS = ("stock",)
LONG_KERNELS = ("lockdep", "kasan")
TOPOLOGY = paths.topology(server={"disks": (Disk("store", "64M"),)})
REQUIRES = (module("dm_hold"),)
NAME = "10.0.0.1/h"
DISK = f"/dev/causeway/{NAME}"
OTHER_IO = (f"dd if=/dev/zero of={DISK} bs=4k seek=200 count=4 oflag=direct conv=notrunc status=none && "
            f"dd if={DISK} bs=4k skip=200 count=4 iflag=direct status=none | tr -d '\\0'")


def lose_the_path_of_a_held_write(rig, events, store):
    server, client = rig.server, rig.client
    hold.arm(server)
    writer = client.start(f"{hold.write(DISK, 'A')} && {hold.write(DISK, 'B')}")
    hold.wait_held(server)
    for link in 0, 1:
        client.link_down(link)
        events.wait_for(f"path-down {NAME}", timeout=60)
        if paths.fence_waits(client):
            break
        client.link_up(link)    # the write went by the other path
        events.wait_for(f"path {link} is live", timeout=90)
    else:
        raise AssertionError("no fence of a path waits for the write")
    assert client.run(OTHER_IO).out == ""
    assert hold.is_held(server) and writer.running
    hold.release(server)
    writer.wait()
    assert hold.content(server, store) == "B"
    client.link_up(link)
    events.wait_for(f"path {link} is live", timeout=90)


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"causeway export add h --device {hold.make(server, store)} --allow any")
    events = causeway.watch(client)
    for policy in "auto", "round-robin", "single":
        paths.attach(client, "h", events, options=f"--policy {policy}")
        for _ in 1, 2:
            lose_the_path_of_a_held_write(rig, events, store)
        session = causeway.connection(client)
        assert session["state"] == "live" and session["reconnects"] == 0, session
        client.run(f"causeway detach {NAME}")
    server.run("causeway export remove h")
    hold.remove(server)
