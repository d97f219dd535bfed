# SPDX-License-Identifier: GPL-2.0-or-later
"""Each attempt to connect asks the next hop for its hardware address, by RDMA and over TCP. So a disk is back soon after its network,
although the kernels of both hosts repeat this question seldom. A handshake over TCP without an answer takes one step of an attempt."""
from using import causeway, tcp

TIER = "long"
KERNELS = ("stock",)
LONG_KERNELS = ("lockdep", "kasan")
LEAVES = ("export",)
SOON = 5            # seconds; the kernel itself would take ASKS
ASKS = 120
# Options, the address of the server, and the host that asks for the address of the other one.
CASES = (("--transport rdma", "10.0.0.1", "client"), ("--transport rdma --from 10.0.0.2", "10.0.0.1", "client"),
         ("--transport rdma", "fd00:77::1", "client"), ("--transport rdma", "10.0.0.1", "server"),
         ("--transport tcp", "10.0.0.1", "client"), ("--transport tcp", "fd00:77::1", "client"), ("--transport tcp", "10.0.0.1", "server"))


def ask_seldom(hosts):
    """Let the kernels of these hosts, by this family of addresses, repeat a question only after ASKS; return the commands that restore what was."""
    kept = []
    for host, family in hosts:
        name = f"net.{family}.neigh.eth0.retrans_time_ms"
        kept.append((host, f"sysctl -qw {name}={host.run(f'sysctl -n {name}').out.strip()}"))
        host.run(f"sysctl -qw {name}={1000 * ASKS}")
    return kept


def forget(host, address):
    """Let a host ask for an address that it knew."""
    host.run(f"ip neigh flush dev eth0; ip -6 neigh flush dev eth0; ping -c 1 -W 1 {address}", check=False)
    host.wait_for(f"ip neigh show dev eth0 {address} | grep -q INCOMPLETE", timeout=30)


def scenario(rig):
    server, client = rig.server, rig.client
    for host, number in ((server, 1), (client, 2)):
        host.run(f"ip addr add fd00:77::{number}/64 dev eth0 nodad")
    server.run("causeway export add m --ram 16M --allow any --tcp")
    client.run("modprobe causeway attempt_ms=500")      # instead of the rig's slow one
    events = causeway.watch(client)
    # By IPv6 a server learns nothing but the link-local address of the client.
    kept = ask_seldom(((server, "ipv4"), (client, "ipv4"), (client, "ipv6")))
    for options, address, asks in CASES:
        client.run(f"causeway attach 10.0.0.1/m --path {address} {options} --no-persist", timeout=60)
        client.run("udevadm settle")
        server.link_down()
        # Attempts follow each other soon while I/O waits.
        read = client.start("dd if=/dev/causeway/10.0.0.1/m of=/dev/null bs=4k count=1 iflag=direct status=none")
        events.wait_for(" down 10.0.0.1/m", timeout=60)
        forget(*{"client": (client, address), "server": (server, "10.0.0.2")}[asks])
        server.link_up()
        events.wait_for(" up 10.0.0.1/m", timeout=SOON)
        read.wait()
        client.run("udevadm settle; causeway detach 10.0.0.1/m")
    tcp.attach_alone(client, "m")
    server.run(f"nft add table ip deaf && nft add chain ip deaf in '{{ type filter hook input priority 0; }}' && "
               f"nft add rule ip deaf in tcp dport {tcp.PORT} drop")
    events.wait_for(" down 10.0.0.1/m", timeout=60)
    events.wait_for("connecting took longer than 500 ms", timeout=60)
    server.run("nft delete table ip deaf")
    events.wait_for(" up 10.0.0.1/m", timeout=60)
    client.run("causeway detach 10.0.0.1/m")
    for host, command in kept:
        host.run(command)
