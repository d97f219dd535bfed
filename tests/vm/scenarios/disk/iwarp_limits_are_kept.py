# SPDX-License-Identifier: GPL-2.0-or-later
"""With the limits of the iWARP adapters of irdma and cxgb4, a disk and a mount carry I/O of all
sizes and request no more than the adapter has. With those of irdma, both go on after the cable was
pulled and after the client's RDMA device was removed."""
from machine.needs import module
from using import adapters, nfs

TOPOLOGY = nfs.topology(rdma="siw")
# Debian's kernel has no siw.
KERNELS = ("kasan",)
TIER = "long"
REQUIRES = (module("adapter_limits"),)

SERVER = "10.0.0.1"


def scenario(rig):
    server, client = rig.server, rig.client
    adapters.load(server, client)
    nfs.start(rig)
    server.run("causeway export add m --ram 64M --allow any")
    for adapter in "cxgb4", "irdma":
        adapters.carries(adapter, (server, client), client, SERVER)

    client.run(f"causeway attach {SERVER}/m")
    nfs.mount(client, "4.2")
    load = adapters.Load(client, SERVER)
    client.link_down()
    client.wait_for(nfs.DISCONNECTED, timeout=90)
    client.link_up()
    load.goes_on()
    # The command returns after Causeway has freed all its objects on the device.
    client.run("rdma link del siw0 && rdma link add siw0 type siw netdev eth0")
    load.end()
    adapters.refused_nothing("irdma", server, client)

    nfs.finish(rig)
    client.run(f"udevadm settle; causeway detach {SERVER}/m && modprobe -r causeway_disk")
    server.run("causeway export remove m && modprobe -r causeway_target")
    for host in client, server:
        host.run("rmmod adapter_limits")
