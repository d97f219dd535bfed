# SPDX-License-Identifier: GPL-2.0-or-later
"""Over InfiniBand an NFS mount loses nothing when the cable is pulled, with Causeway's transport
and with the in-tree one. With Causeway's it also survives a restart of the subnet manager and the
loss of the HCA."""
from machine.cases import case, for_each
from machine.needs import module
from using import nfs, simhca

TOPOLOGY = simhca.TOPOLOGY
TIER = "long"


@for_each([case("causeway", nfs.CAUSEWAY, LONG_KERNELS=("kasan",)), case("in-tree", nfs.IN_TREE, REQUIRES=(module("rpcrdma"),))])
def scenario(rig, _, transport):
    host = rig.host
    manager = simhca.begin(host)
    nfs.choose(host, transport)
    nfs.serve(host)
    nfs.mount(host, "4.2", server=simhca.SERVER)
    assert nfs.uses(host, transport)
    load = nfs.Load(host)
    simhca.lose_cable(host)
    if transport == nfs.CAUSEWAY:
        load.goes_on()
        manager = simhca.restart_sm(host, manager)
        load.goes_on()
        manager = simhca.lose_hca(host, manager)
    load.end()
    nfs.unmount(host)
    nfs.stop(host)
    nfs.free(host)
    simhca.end(host, manager)
