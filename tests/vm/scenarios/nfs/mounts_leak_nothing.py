# SPDX-License-Identifier: GPL-2.0-or-later
"""Mounts of every version of NFS are made, used and removed, and the modules are unloaded in
between. No memory and no RDMA object is left behind."""
from using import nfs

TOPOLOGY = nfs.topology(leaks=True)
TIER = "long"
KERNELS = ("lockdep",)

ROUNDS = 3
WORK = (f"dd if=/dev/urandom of={nfs.MOUNTED}/file bs=100001 count=10 oflag=direct status=none && "
        f"dd if={nfs.MOUNTED}/file of=/dev/null bs=1000 count=100 iflag=direct status=none && ls -l {nfs.MOUNTED} && rm {nfs.MOUNTED}/file")


def objects(host):
    # A device has another number after it was removed and added.
    return host.run("rdma resource show | tr -s ' ' | sed 's,^[0-9]*: ,,'").out


def scenario(rig):
    server, client = rig.server, rig.client
    before = objects(server), objects(client)
    for _ in range(ROUNDS):
        nfs.start(rig, client_parameters={"queue_pairs": 2})
        for version in nfs.VERSIONS:
            nfs.mount(client, version)
            client.run(WORK)
            # One mount is unmounted while it has no connection.
            if version == "4.1":
                server.run("rdma link del rxe0 && rdma link add rxe0 type rxe netdev eth0")
            nfs.unmount(client)
        nfs.stop(server)
        nfs.free(client, server)
        after = objects(server), objects(client)
        assert after == before, (before, after)
