# SPDX-License-Identifier: GPL-2.0-or-later
"""A listener that is bound to an address releases an RDMA device that is removed, and listens on
the device that has the address next."""
from machine.needs import module
from using import nfs

TOPOLOGY = nfs.topology(links=2)
TIER = "ci"
DIRTY = True        # the addresses are on other interfaces afterwards
REQUIRES = (module("nfs_bind"),)

ADDRESS, PEER = "10.0.0.1", "10.0.0.2"


def listens(server, device):
    """Wait until the connection manager has an id that listens at the address on that device."""
    server.wait_for(f"rdma resource show cm_id | grep ' state LISTEN ' | grep -E 'link {device}/1 .*src-addr {ADDRESS}:20049'", timeout=30)


def mounted(client, server, device):
    nfs.mount(client, "3", options="soft,timeo=300")
    client.run(f"echo over {device} >{nfs.MOUNTED}/file && sync")
    assert server.run(f"causeway net | grep {device}").out, "the connection goes by another device"
    nfs.unmount(client)


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.choose(server, nfs.CAUSEWAY)
    nfs.choose(client, nfs.CAUSEWAY)
    server.run(f"modprobe causeway_rpcrdma && modprobe nfs_bind address={ADDRESS}")
    nfs.serve(server)
    listens(server, "rxe0")
    mounted(client, server, "rxe0")

    # The command returns only when everything on the device is gone.
    server.run("rdma link del rxe0", timeout=30)
    server.run("rdma link add rxe0 type rxe netdev eth0")
    listens(server, "rxe0")
    mounted(client, server, "rxe0")

    for host, address in (server, ADDRESS), (client, PEER):
        host.run(f"ip addr del {address}/24 dev eth0 && ip addr add {address}/24 dev eth1")
    listens(server, "rxe1")
    mounted(client, server, "rxe1")

    nfs.stop(server)
    server.run("rmmod nfs_bind")
    nfs.free(client, server)
