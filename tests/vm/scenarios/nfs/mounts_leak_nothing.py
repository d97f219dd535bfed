# SPDX-License-Identifier: GPL-2.0-or-later
"""Mounts of every version of NFS that come, work and go, with the modules between, leave no memory and no RDMA object behind."""
from using import nfs

TOPOLOGY = nfs.topology(leaks=True)
TIER = "long"
KERNELS = ("lockdep",)

ROUNDS = 3
WORK = (f"dd if=/dev/urandom of={nfs.MOUNTED}/file bs=100001 count=10 oflag=direct status=none && "
        f"dd if={nfs.MOUNTED}/file of=/dev/null bs=1000 count=100 iflag=direct status=none && ls -l {nfs.MOUNTED} && rm {nfs.MOUNTED}/file")


def objects(host):
    # Its number is another one after it was away.
    return host.run("rdma resource show | tr -s ' ' | sed 's,^[0-9]*: ,,'").out


def scenario(rig):
    server, client = rig.server, rig.client
    before = objects(server), objects(client)
    for _ in range(ROUNDS):
        nfs.start(rig, client_parameters={"queue_pairs": 2})
        for version in nfs.VERSIONS:
            nfs.mount(client, version)
            client.run(WORK)
            # Unmounted while there is no connection, too.
            if version == "4.1":
                server.run("rdma link del rxe0 && rdma link add rxe0 type rxe netdev eth0")
            nfs.unmount(client)
        nfs.stop(server)
        nfs.free(client, server)
        after = objects(server), objects(client)
        assert after == before, (before, after)
