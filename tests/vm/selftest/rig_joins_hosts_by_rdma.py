# SPDX-License-Identifier: GPL-2.0-or-later
"""Two hosts with two links reach each other by RDMA over each of them, and lose only the link that is cut."""

from machine.topology import pair

TOPOLOGY = pair(links=2)
TIER = "ci"


def ping(rig, link):
    address = rig.server.address(link)
    server = rig.server.start(f"rping -s -P -a {address}")
    rig.client.wait_for(f"rping -c -V -a {address} -C 3")
    server.kill()
    server.wait(check=False)


def scenario(rig):
    for link in (0, 1):
        ping(rig, link)
    rig.server.link_down(1)
    rig.server.wait_for("! grep -q 1 /sys/class/net/eth1/carrier")
    rig.client.fails(f"ping -c 1 -W 1 {rig.server.address(1)}")
    ping(rig, 0)
    rig.server.link_up(1)
    rig.client.wait_for(f"ping -c 1 -W 1 {rig.server.address(1)}")
    ping(rig, 1)
