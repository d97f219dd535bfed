# SPDX-License-Identifier: GPL-2.0-or-later
"""Disks over TCP."""

import struct

PORT = 4794
# Shell commands that succeed if the server listens, or if it does not.
OPEN = f"ss -Hltn sport = :{PORT} | grep -q ."
CLOSED = f"! {OPEN}"


def attach(client, name, where):
    """Attach an export by these paths, in the words of causeway-netlink; wait for the disk, and return its device."""
    server = "10.0.0.1"
    client.run(f"modprobe causeway_disk; causeway-netlink attach server={server} name={name} host=1 {where}", timeout=60)
    disk = f"/dev/causeway/{server}/{name}"
    client.wait_for(f"test -b {disk}")
    return disk


def attach_alone(client, name, address="10.0.0.1"):
    """Attach an export by one path, over TCP."""
    client.run(f"causeway attach 10.0.0.1/{name} --path {address} --transport tcp --no-persist", timeout=60)
    return f"/dev/causeway/10.0.0.1/{name}"


def reset_connections(client, events, lost):
    """Reset the connections of all links over TCP, until an event says that they are lost: each segment becomes a RST."""
    client.run("nft add table ip cut && nft add chain ip cut out '{ type filter hook output priority 0; }' && "
               f"nft add rule ip cut out tcp dport {PORT} counter @th,104,8 set 0x4")
    events.wait_for(lost, timeout=60)
    client.run("nft delete table ip cut")


def ports_of_client(frames):
    """Return the client's ports of these frames of links over TCP, which go by IPv4, in either direction."""
    found = set()
    for frame in frames:
        at = 14 + 4 * (frame[14] & 15)      # the header of TCP is behind those of Ethernet and IP
        assert frame[12:14] == b"\x08\x00" and frame[23] == 6, "no frame of TCP over IPv4"
        found.update(struct.unpack_from("!HH", frame, at))
    return found - {PORT}


def open_ports_of_client(host):
    """Return the client's ports of all connections over TCP that a server or client has not ended."""
    words = host.run(f"ss -Htn state established '( sport = :{PORT} or dport = :{PORT} )'").out.split()
    return {int(word.rpartition(":")[2]) for word in words if ":" in word} - {PORT}


def ignore_ends(client):
    """Drop each FIN of the server and each RST to it, as a client does that wants the server to keep its sockets."""
    client.run("nft add table ip deaf && nft add chain ip deaf in '{ type filter hook input priority 0; }' && "
               f"nft add rule ip deaf in tcp sport {PORT} tcp flags \\& fin == fin drop && "
               "nft add chain ip deaf out '{ type filter hook output priority 0; }' && "
               f"nft add rule ip deaf out tcp dport {PORT} tcp flags \\& rst == rst drop")


def wait_for_no_orphan(host):
    """Wait until no socket is left without a program or module that owns it. TCP repeats no FIN for a socket of the kernel."""
    host.wait_for("ss -tano; grep 'TCP: .* orphan 0 ' /proc/net/sockstat", timeout=60)
