# SPDX-License-Identifier: GPL-2.0-or-later
"""On the simulated HCA the kernel's own NFS over RDMA works too, and goes on after a cable was pulled under it."""
from machine.needs import module
from using import nfs, simhca

TOPOLOGY = simhca.TOPOLOGY
TIER = "long"
REQUIRES = (module("rpcrdma"),)


def scenario(rig):
    host = rig.host
    manager = simhca.begin(host)
    nfs.choose(host, nfs.IN_TREE)
    nfs.serve(host)
    nfs.mount(host, "4.2", server=simhca.SERVER)
    assert nfs.uses(host, nfs.IN_TREE)
    load = nfs.Load(host)
    simhca.lose_cable(host)
    load.end()
    nfs.unmount(host)
    nfs.stop(host)
    nfs.free(host)
    simhca.end(host, manager)
