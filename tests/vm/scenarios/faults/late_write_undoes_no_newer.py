# SPDX-License-Identifier: GPL-2.0-or-later
"""A late write changes nothing. It comes from a client that lost an exclusive export, from a
machine that was replaced, also after a restart of the server, or from before a forced detach.

LATE_WRITES=50 in the environment repeats everything 50 times in one boot."""
import os

from machine.needs import module
from using import causeway, hold
from using.resources import NO_DISK_CONNECTIONS
from machine.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"),)})
TIER = "long"
KERNELS = ("stock",)
LONG_KERNELS = ("lockdep",)
REQUIRES = (module("dm_hold"),)

DISK = "/dev/causeway/10.0.0.1/h"
SAME = "--host-uuid 01234567-89ab-cdef-0123-456789abcdef"
# The scenario does not test the length of these waits, and short ones leave time for more turns.
SHORT = "modprobe causeway probe_ms=400 dead_ms=1600 retry_cap_ms=1000"
COMMAND_MS = 3000   # time after which a command without an answer fails
TIMES = int(os.environ.get("LATE_WRITES", "1"))


def export(server, options):
    server.run(f"causeway export add h --device {hold.DEVICE} {options} --allow any")


def host_of_client(server):
    """Return the UUID of the host that has the export attached."""
    connection, = causeway.connections(server)
    return connection["host"]


def cut_off(rig, late):
    """Cut the client off during a write that the disk holds; return the Job of the write."""
    server, client = rig.server, rig.client
    hold.arm(server)
    writer = client.start(hold.write(DISK, late))
    hold.wait_held(server)
    client.link_down()
    server.wait_for("causeway --json net | grep -q '\"state\": *\"closing\"'")
    return writer


def stays_out(rig, writer, newer, why):
    """Check that the client comes back, is refused for good, and that its write fails."""
    server, client = rig.server, rig.client
    client.link_up()
    assert writer.wait(timeout=90, check=False).rc != 0
    attachment, = causeway.attachments(client)
    assert attachment["state"] == "revoked" and why in attachment["reason"], attachment
    assert hold.content(server) == newer, hold.content(server)
    client.run("causeway detach 10.0.0.1/h")


def handed_over(rig, late, newer, in_between=lambda rig: None):
    """Eviction hands an exclusive export over to another machine. It waits for the write that the
    disk holds."""
    server, client = rig.server, rig.client
    export(server, "--exclusive")
    client.run("causeway attach 10.0.0.1/h")
    host = host_of_client(server)
    writer = cut_off(rig, late)
    result = server.fails("causeway attach 10.0.0.1/h", "exclusive")
    assert "evict" in result.out, result.out
    evict = server.start(f"causeway export evict h --host {host}")
    server.wait_for("causeway --json export list | grep -q '\"evicted\": *true'")
    assert evict.running and hold.is_held(server), "it was reported while a write is with the disk"
    hold.release(server)
    evict.wait()
    server.wait_for(NO_DISK_CONNECTIONS)
    in_between(rig)
    server.run(f"causeway attach 10.0.0.1/h && {hold.write(DISK, newer)}")
    stays_out(rig, writer, newer, "evicted")
    server.run(f"causeway detach 10.0.0.1/h && causeway export readmit h --host {host}")
    client.run(f"causeway attach 10.0.0.1/h && {hold.write(DISK, 'X')} && causeway detach 10.0.0.1/h")
    server.run("causeway export remove h")


def server_restarts(rig):
    """Restart the server, which reads the ledger from its disk."""
    rig.server.run("causeway stop --force && modprobe -r causeway_target && causeway restore")


def replaced(rig, late, newer, in_between=lambda rig: None):
    """A machine with the same host UUID takes the place of the client."""
    server, client = rig.server, rig.client
    export(server, "")
    client.run(f"causeway attach 10.0.0.1/h {SAME}")
    writer = cut_off(rig, late)
    hold.release(server)
    server.wait_for(NO_DISK_CONNECTIONS)
    in_between(rig)
    server.run(f"causeway attach 10.0.0.1/h {SAME} && {hold.write(DISK, newer)}")
    stays_out(rig, writer, newer, "another session took the place")
    server.run("causeway detach 10.0.0.1/h && causeway export remove h")


def detached_by_force(rig, late, newer):
    """The disk holds a write; its client detaches by force, and can attach again only when the
    write has ended."""
    server, client = rig.server, rig.client
    export(server, "")
    client.run("causeway attach 10.0.0.1/h")
    client.run(f"echo {COMMAND_MS} > /sys/class/block/$(basename $(readlink -f {DISK}))/queue/io_timeout")
    hold.arm(server)
    writer = client.start(hold.write(DISK, late))
    hold.wait_held(server)
    client.run("causeway detach 10.0.0.1/h --force")
    assert writer.wait(check=False).rc != 0
    attach = client.start("causeway attach 10.0.0.1/h")
    client.wait_for("causeway --json net | grep -q 'the server waits until 1 earlier command has ended'")
    assert attach.running and hold.is_held(server)
    hold.release(server)
    attach.wait(timeout=60)
    client.run(hold.write(DISK, newer))
    assert hold.content(server) == newer, hold.content(server)
    client.run("causeway detach 10.0.0.1/h")
    server.run("causeway export remove h")


def scenario(rig):
    for host in (rig.server, rig.client):
        host.run(SHORT)
    hold.make(rig.server, rig.server.disk("store"))
    for turn in range(TIMES):
        handed_over(rig, "A", "B")
        detached_by_force(rig, "C", "D")
        handed_over(rig, "E", "F", in_between=server_restarts)
        replaced(rig, "G", "H")
        replaced(rig, "I", "J", in_between=server_restarts)
        if TIMES > 1:
            rig.say(f"{turn + 1} of {TIMES}: no late write undid a newer one")
    hold.remove(rig.server)
