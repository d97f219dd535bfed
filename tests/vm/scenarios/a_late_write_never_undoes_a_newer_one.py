# SPDX-License-Identifier: GPL-2.0-or-later
"""A write that comes late, from a client that lost an exclusive export or from before a forced detach, changes nothing.

Both are known gaps: the assertions below say what happens today. Whoever closes one turns its assertion around.
"""
from rig import hold
from rig.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"),)})

DISK = "/dev/causeway/10.0.0.1/h"


def known_gap(host, late, newer):
    """Today the block holds the late write; it has to hold the newer one."""
    found = hold.content(host)
    assert found != newer, f"the known gap is closed: {newer!r} outlived {late!r}; turn this assertion around"
    assert found == late, found


def client_returns(rig):
    """A client is cut off with a write that was not answered, another machine takes the export, writes and lets go."""
    server, client = rig.server, rig.client
    server.run(f"causeway export add h --device {hold.DEVICE} --exclusive")
    client.run("causeway attach 10.0.0.1/h")
    hold.arm(server)
    writer = client.start(hold.write(DISK, "A"))
    hold.wait_held(server)
    client.link_down()
    server.wait_for("causeway --json net | grep -q '\"state\": *\"closing\"'")
    hold.release(server)
    server.wait_for("causeway --json net | grep -q '\"connections\": *\\[\\]'")
    server.run(f"causeway attach 10.0.0.1/h && {hold.write(DISK, 'B')}")
    assert hold.content(server) == "B"
    server.run("causeway detach 10.0.0.1/h")
    client.link_up()
    writer.wait(timeout=90)
    known_gap(server, late="A", newer="B")
    client.run("causeway detach 10.0.0.1/h")
    server.run("causeway export remove h")


def detached_by_force(rig):
    """The disk keeps a write, its client detaches by force, attaches again and writes."""
    server, client = rig.server, rig.client
    server.run(f"causeway export add h --device {hold.DEVICE}")
    client.run("causeway attach 10.0.0.1/h")
    hold.arm(server)
    writer = client.start(hold.write(DISK, "C"))
    hold.wait_held(server)
    client.run("causeway detach 10.0.0.1/h --force")
    assert writer.wait(check=False).rc != 0
    client.run("causeway attach 10.0.0.1/h")
    client.run(hold.write(DISK, "D"))
    assert hold.is_held(server) and hold.content(server) == "D"
    hold.release(server)
    known_gap(server, late="C", newer="D")
    client.run("causeway detach 10.0.0.1/h")
    server.run("causeway export remove h")


def scenario(rig):
    hold.make(rig.server, rig.server.disk("store"))
    client_returns(rig)
    detached_by_force(rig)
    hold.remove(rig.server)
