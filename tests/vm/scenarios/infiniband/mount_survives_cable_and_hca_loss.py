# SPDX-License-Identifier: GPL-2.0-or-later
"""Over InfiniBand a mount of NFS loses nothing when the cable is pulled under it, when the subnet manager starts anew, and
when the HCA goes and comes."""
from using import nfs, simhca

TOPOLOGY = simhca.TOPOLOGY
TIER = "long"
LONG_KERNELS = ("kasan",)


def scenario(rig):
    host = rig.host
    manager = simhca.begin(host)
    nfs.choose(host, nfs.OURS)
    nfs.serve(host)
    nfs.mount(host, "4.2", server=simhca.SERVER)
    assert nfs.uses(host, nfs.OURS)
    load = nfs.Load(host)
    simhca.lose_cable(host)
    load.goes_on()
    manager = simhca.restart_sm(host, manager)
    load.goes_on()
    manager = simhca.lose_hca(host, manager)
    load.end()
    nfs.unmount(host)
    nfs.stop(host)
    nfs.free(host)
    simhca.end(host, manager)
