# SPDX-License-Identifier: GPL-2.0-or-later
"""Disks with two paths, one over each link between server and client."""
import re

from machine.topology import pair

SERVERS = ("10.0.0.1", "10.1.0.1")      # of the server, on each link


def topology(**rest):
    return pair(links=2, **rest)


def attach(client, name, events, addresses=SERVERS, options=""):
    """Attach an export of the server by these addresses, and wait until the last path and the device node are there."""
    words = " ".join(f"--path {address}" for address in addresses)
    client.run(f"causeway attach {SERVERS[0]}/{name} {words} {options or ''}")
    events.wait_for(f"path {len(addresses) - 1} is live", timeout=30)
    client.wait_for(f"test -b /dev/causeway/{SERVERS[0]}/{name}")


def wait_fence_waits(client):
    """Wait until the server has said that the fence of a path waits for commands."""
    client.wait_for("causeway-netlink session-get | grep -q fence-commands", timeout=30)


def fence_waits(client):
    """Wait until the server has answered the fence of a lost path, or said that the fence waits; return whether it waits."""
    client.wait_for("causeway-netlink session-get >/tmp/paths; grep -q fence-commands /tmp/paths || ! grep -q fencing /tmp/paths",
                    timeout=30)
    return "fence-commands" in client.run("cat /tmp/paths").out


def passes(fio):
    """End fio, which runs for ever, and check that none of its I/O failed or read other data."""
    fio.kill()
    out = fio.wait(check=False).out
    assert "err= 0" in out and not re.search(r"err= *[1-9]|verify:", out), out
