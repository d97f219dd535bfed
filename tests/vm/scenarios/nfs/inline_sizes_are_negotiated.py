# SPDX-License-Identifier: GPL-2.0-or-later
"""With messages of 1 to 64 KiB, each direction gets the smaller size that both ends offer, and the
content is right with every size."""

from using import causeway, nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"

KIB = 1024
# The offers of the client and of the server.
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
