# SPDX-License-Identifier: GPL-2.0-or-later
"""A write that comes late changes nothing: from a client that lost an exclusive export, or whose machine was replaced, also
when the server restarted in between, and from before a forced detach.

All of these are known gaps: the assertions below say what happens today. Whoever closes one turns its assertion around.
"""
from rig import hold
from rig.resources import NO_DISK_CONNECTIONS
from rig.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"),)})
TIER = "long"

DISK = "/dev/causeway/10.0.0.1/h"
MACHINE_ID = "/etc/machine-id"


def known_gap(host, late, newer):
    """Today the block holds the late write; it has to hold the newer one."""
    found = hold.content(host)
    assert found != newer, f"the known gap is closed: {newer!r} outlived {late!r}; turn this assertion around"
    assert found == late, found


def export(server, options):
    server.run(f"causeway export add h --device {hold.DEVICE} {options}")


def client_returns(rig, late, newer, options="--exclusive", in_between=lambda: None):
    """A client is cut off with a write that was not answered, another machine takes the export, writes and lets go."""
    server, client = rig.server, rig.client
    export(server, options)
    client.run("causeway attach 10.0.0.1/h")
    hold.arm(server)
    writer = client.start(hold.write(DISK, late))
    hold.wait_held(server)
    client.link_down()
    server.wait_for("causeway --json net | grep -q '\"state\": *\"closing\"'")
    hold.release(server)
    server.wait_for(NO_DISK_CONNECTIONS)
    in_between()
    server.run(f"causeway attach 10.0.0.1/h && {hold.write(DISK, newer)}")
    assert hold.content(server) == newer
    server.run("causeway detach 10.0.0.1/h")
    client.link_up()
    writer.wait(timeout=90)
    known_gap(server, late, newer)
    client.run("causeway detach 10.0.0.1/h")
    server.run("causeway export remove h")


def server_restarts(rig):
    """Who owned the export is forgotten with the module."""
    rig.server.run("causeway stop && modprobe -r causeway_target")
    export(rig.server, "--exclusive")


def detached_by_force(rig, late, newer):
    """The disk keeps a write, its client detaches by force, attaches again and writes."""
    server, client = rig.server, rig.client
    export(server, "")
    client.run("causeway attach 10.0.0.1/h")
    hold.arm(server)
    writer = client.start(hold.write(DISK, late))
    hold.wait_held(server)
    client.run("causeway detach 10.0.0.1/h --force")
    assert writer.wait(check=False).rc != 0
    client.run("causeway attach 10.0.0.1/h")
    client.run(hold.write(DISK, newer))
    assert hold.is_held(server) and hold.content(server) == newer
    hold.release(server)
    known_gap(server, late, newer)
    client.run("causeway detach 10.0.0.1/h")
    server.run("causeway export remove h")


def scenario(rig):
    server, client = rig.server, rig.client
    hold.make(server, server.disk("store"))
    client_returns(rig, "A", "B")
    detached_by_force(rig, "C", "D")
    client_returns(rig, "E", "F", in_between=lambda: server_restarts(rig))

    same = "0123456789abcdef0123456789abcdef"
    own = {host: host.run(f"cat {MACHINE_ID} 2>/dev/null", check=False).out for host in (server, client)}
    try:
        for host in own:
            host.write(MACHINE_ID, same + "\n")
        client_returns(rig, "G", "H", options="")
    finally:
        for host, text in own.items():
            host.write(MACHINE_ID, text)
    hold.remove(server)
