# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk with two paths over TCP gives a path up at once when its network interface goes down or loses the address of the path, and
connects it again when the interface has both. The only path of a disk, and a path by RDMA and one over TCP with the same address,
stay: the cable may be back before a connection gives up."""
from using import causeway, paths

TIER = "ci"
KERNELS = ("stock",)
LONG_KERNELS = ("lockdep",)
TOPOLOGY = paths.topology()
LEAVES = ("attachment", "export")
NAME = "10.0.0.1/m"
DISK = f"/dev/causeway/{NAME}"
CARRIER = "/sys/class/net/eth0/carrier"
# Silence is noticed after 5 s without I/O, so this shows that the interface was noticed.
AT_ONCE = 3


def write(client):
    client.run(f"dd if=/dev/zero of={DISK} bs=4k count=1 oflag=direct conv=notrunc status=none", timeout=60)


def attach(client, events, *ways):
    """Attach the disk by these paths: addresses of the server, with transports."""
    for verb, (address, transport) in zip(("attach", "path add"), ways):
        client.run(f"causeway {verb} {NAME} --path {address} --transport {transport}", timeout=60)
    if len(ways) > 1:
        events.wait_for(f"path-up {NAME}: path 1 is live", timeout=30)
    client.wait_for(f"test -b {DISK}")


def losses(client):
    session = causeway.connection(client)
    assert session["reconnects"] == 0, session
    return [path["losses"] for path in session["paths"]]


def pull_and_plug(client):
    """Pull the cable of the first network, and plug it in again when the kernel has noticed."""
    client.link_down(0)
    client.wait_for(f"grep -qx 0 {CARRIER}")
    client.link_up(0)
    client.wait_for(f"grep -qx 1 {CARRIER}")


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 16M --tcp --allow any")
    events = causeway.watch(client)
    attach(client, events, ("10.0.0.1", "tcp"), ("10.1.0.1", "tcp"))
    for lose, bring_back, why in (
            (lambda: client.link_down(0), lambda: client.link_up(0), "the network interface eth0 went down"),
            (lambda: client.run("ip link set eth0 down"), lambda: client.run("ip link set eth0 up"), "the network interface eth0 went down"),
            (lambda: client.run("ip addr del 10.0.0.2/24 dev eth0"), lambda: client.run("ip addr add 10.0.0.2/24 dev eth0"),
             "the network interface eth0 lost the address")):
        lose()
        events.wait_for(f"path-down {NAME}: path 0: {why}", timeout=AT_ONCE)
        write(client)
        bring_back()
        events.wait_for(f"path-up {NAME}: path 0 is live", timeout=30)
    assert losses(client) == [3, 0]
    client.run(f"udevadm settle; causeway detach {NAME}")

    for ways in ((("10.0.0.1", "tcp"),), (("10.0.0.1", "rdma"), ("10.0.0.1", "tcp"))):
        attach(client, events, *ways)
        pull_and_plug(client)
        write(client)
        assert losses(client) == [0] * len(ways)
        client.run(f"udevadm settle; causeway detach {NAME}")
