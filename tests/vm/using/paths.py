# SPDX-License-Identifier: GPL-2.0-or-later
"""Disks with two paths, one over each link between server and client."""

from machine.topology import pair

SERVERS = ("10.0.0.1", "10.1.0.1")      # of the server, on each link


def topology(**rest):
    return pair(links=2, **rest)


def attach(client, name, events, options=""):
    """Attach an export of the server by both paths, and wait until both are live."""
    nests = " ".join(f"disk-path={address}" for address in SERVERS)
    client.run(f"causeway-netlink attach server={SERVERS[0]} name={name} host=1 {nests} {options}")
    events.wait_for(f"path-up {SERVERS[0]}/{name}", timeout=30)
