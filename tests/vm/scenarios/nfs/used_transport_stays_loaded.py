# SPDX-License-Identifier: GPL-2.0-or-later
"""The module cannot be unloaded while a mount or an export uses it, and can be unloaded
afterwards."""
from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.start(rig)
    # No client is connected yet.
    server.fails("rmmod causeway_rpcrdma", "in use")
    nfs.mount(client, "4.2")
    for host in server, client:
        host.fails("rmmod causeway_rpcrdma", "in use")
        host.fails("rmmod causeway", "in use")
    client.run(f"echo good >{nfs.MOUNTED}/file && cat {nfs.MOUNTED}/file")
    nfs.unmount(client)
    server.fails("rmmod causeway_rpcrdma", "in use")
    nfs.stop(server)
    nfs.free(client, server)
