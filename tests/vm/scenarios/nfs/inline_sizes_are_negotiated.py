# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of 1 to 64 KiB: each direction gets the smaller one of what both ends offer, and every size keeps what it holds."""

from using import causeway, nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"

KIB = 1024
# What the client offers, what the server does.
OFFERS = ((1 * KIB, 64 * KIB), (4 * KIB, 1 * KIB), (4 * KIB, 4 * KIB), (64 * KIB, 16 * KIB), (64 * KIB, 64 * KIB))


def scenario(rig):
    server, client = rig.server, rig.client
    for ours, theirs in OFFERS:
        nfs.start(rig, client_parameters={"inline_size": ours}, server_parameters={"server_inline": theirs})
        nfs.fill(server)
        nfs.mount(client, "4.2")
        nfs.judge(client, server, "4.2", operations=40)
        for host in client, server:
            for connection in causeway.nfs_connections(host):
                assert connection["send_inline"] == connection["receive_inline"] == min(ours, theirs), connection
        nfs.finish(rig)
