# SPDX-License-Identifier: GPL-2.0-or-later
"""Two hosts with two links reach each other by RDMA over each of them, and lose only the link that is cut."""

from rig.topology import pair

TOPOLOGY = pair(links=2)


def ping(rig, link):
    server = rig.server.start(f"rping -s -a {rig.server.address(link)} -v -C 3")
    rig.client.wait_for(f"rping -c -a {rig.server.address(link)} -C 3")
    assert "rdma-ping-2" in server.wait().out


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
