# SPDX-License-Identifier: GPL-2.0-or-later
"""Disks with two paths, one over each link between server and client."""
import re

from machine.topology import pair
from using import causeway, verified

SERVERS = ("10.0.0.1", "10.1.0.1")      # of the server, on each link


def topology(**rest):
    return pair(links=2, **rest)


def attach(client, name, events, addresses=SERVERS, options=""):
    """Attach an export of the server by these addresses, and wait until the last path and the device node are there."""
    words = " ".join(f"--path {address}" for address in addresses)
    client.run(f"causeway attach {SERVERS[0]}/{name} {words} {options or ''}")
    events.wait_for(f"path {len(addresses) - 1} is live", timeout=30)
    client.wait_for(f"test -b /dev/causeway/{SERVERS[0]}/{name}")


def attach_under_io(server, client, name):
    """Export a disk, attach it by both paths, and start I/O on it whose data is verified. Return the events and the job."""
    server.run(f"causeway export add {name} --ram 64M --allow any")
    events = causeway.watch(client)
    attach(client, name, events)
    return events, verified.start(client, f"/dev/causeway/{SERVERS[0]}/{name}",
                                  "--rw=randrw --bs=4k --iodepth=16 --size=16M --time_based --runtime=1h")


def serve_by_one(server, client, name):
    """Export a disk and attach it by both paths, of which one carries I/O at a time. Return the events of the client."""
    server.run(f"causeway export add {name} --ram 16M --allow any")
    events = causeway.watch(client)
    attach(client, name, events, options="--policy single")
    client.run("udevadm settle")
    return events


def lose_with_write(server, client, name, events, source):
    """Write block 7 of 4 KiB of a disk of serve_by_one() by path 0, which is lost with the write. Return the job that writes.

    Only the server's end of the link goes down: the client's port stays up, so the client sends the write by that path."""
    server.link_down(0)
    writer = client.start(f"dd if={source} of=/dev/causeway/{SERVERS[0]}/{name} bs=4k seek=7 count=1 oflag=direct conv=notrunc "
                          "status=none")
    events.wait_for(f"path-down {SERVERS[0]}/{name}: path 0", timeout=60)
    return writer


def wait_fence_waits(client):
    """Wait until the server has said that the fence of a path waits for commands."""
    client.wait_for("causeway-netlink session-get | grep -q fence-commands", timeout=30)


def fence_waits(client):
    """Wait until the server has answered the fence of a lost path, or said that the fence waits; return whether it waits."""
    client.wait_for("causeway-netlink session-get >/tmp/paths; grep -q fence-commands /tmp/paths || ! grep -q fencing /tmp/paths",
                    timeout=30)
    return "fence-commands" in client.run("cat /tmp/paths").out


def passes(fio):
    """End fio, which runs for ever, and check that none of its I/O failed or read other data; return its Result."""
    fio.kill()
    result = fio.wait(check=False)
    assert "err= 0" in result.out and not re.search(r"err= *[1-9]|verify:", result.out), result.out
    return result
