# SPDX-License-Identifier: GPL-2.0-or-later
"""While its disk still has a write of a lost connection, the server admits neither the returning
client nor the next client of an exclusive export, and does not report the eviction of that host as
done. The pending write never overtakes a later one."""
import json

from machine.needs import module
from using import causeway, hold
from machine.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"),)})
LONG_KERNELS = ("lockdep",)
REQUIRES = (module("dm_hold"),)

DISK = "/dev/causeway/10.0.0.1/h"
WAITS = "the server waits until 1 earlier command has ended"


def lose(rig):
    """Cut the client off until both ends have given the connection up; the server's end waits for
    the disk."""
    rig.client.link_down()
    causeway.wait_lost(rig.client)
    rig.server.wait_for("causeway --json net | grep -q '\"state\": *\"closing\"'")
    assert hold.is_held(rig.server)


def goes_on_waiting(client):
    """Check that the client continues the login while the server sends WAITING, for three times as
    long as it tolerates silence."""
    before, after = (json.loads(out)["connections"][0] for out in
                     client.run("causeway --json net; sleep 15; echo; causeway --json net").out.split("\n\n"))
    assert before["attempts"] == after["attempts"] and WAITS in after["reason"], (before, after)


def scenario(rig):
    server, client = rig.server, rig.client
    device = hold.make(server, server.disk("store"))

    # The same client returns: its write is sent again, and then overwritten.
    server.run(f"causeway export add h --device {device} --allow any")
    client.run("causeway attach 10.0.0.1/h")
    events = causeway.watch(client)
    hold.arm(server)
    writer = client.start(f"{hold.write(DISK, 'A')} && {hold.write(DISK, 'B')}")
    hold.wait_held(server)
    lose(rig)
    client.link_up()
    # The client has proved its identity, and waits for WELCOME for longer than it would tolerate silence.
    client.wait_for(f"causeway --json net | grep -q '{WAITS}'", timeout=90)
    goes_on_waiting(client)
    assert hold.is_held(server) and writer.running
    hold.release(server)
    events.wait_for("live over", timeout=90)
    writer.wait()
    assert hold.content(server) == "B", hold.content(server)
    client.run("causeway detach 10.0.0.1/h")
    server.run("causeway export remove h")

    # Another client, the server's own machine, attaches after the eviction of the first one.
    server.run(f"causeway export add h --device {device} --exclusive --allow any")
    client.run("causeway attach 10.0.0.1/h")
    host = causeway.connection(server)["host"]
    hold.arm(server)
    writer = client.start(hold.write(DISK, "C"))
    hold.wait_held(server)
    lose(rig)
    server.fails("causeway attach 10.0.0.1/h", "exclusive")
    evict = server.start(f"causeway export evict h --host {host}")
    server.wait_for("causeway --json export list | grep -q '\"evicted\": *true'")
    attach = server.start("causeway attach 10.0.0.1/h")
    server.wait_for(f"causeway --json net | grep -q '{WAITS}'", timeout=60)
    assert hold.is_held(server) and attach.running and evict.running
    hold.release(server)
    evict.wait()
    attach.wait(timeout=90)
    server.run(hold.write(DISK, "D"))
    assert hold.content(server) == "D", hold.content(server)
    # The client is still cut off and no longer owns the export.
    client.run("causeway detach 10.0.0.1/h --force")
    assert writer.wait(check=False).rc != 0
    client.link_up()
    server.run("causeway detach 10.0.0.1/h && causeway export remove h")
    connections = causeway.connections(server)
    assert connections == [], connections
    hold.remove(server)
