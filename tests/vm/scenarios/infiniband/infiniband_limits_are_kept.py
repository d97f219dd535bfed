# SPDX-License-Identifier: GPL-2.0-or-later
"""With the limits of mlx4, mlx5, bnxt_re, hfi1 and pvrdma, a disk and a mount carry I/O of all
sizes and request no more than the adapter has. With the narrowest adapter, both go on after the
cable was pulled and after the HCA was removed."""
from machine.needs import module
from using import adapters, nfs, simhca

TOPOLOGY = simhca.TOPOLOGY
TIER = "long"
REQUIRES = (module("adapter_limits"),)
LEAVES = ("export",)

ADAPTERS = ("mlx4", "mlx5", "bnxt_re", "hfi1", "pvrdma")


def scenario(rig):
    host = rig.host
    adapters.load(host)
    adapters.take(ADAPTERS[0], host)
    manager = simhca.begin(host)
    nfs.choose(host, nfs.CAUSEWAY)
    nfs.serve(host)
    host.run("causeway export add m --ram 64M --allow any")
    for adapter in ADAPTERS:
        adapters.carries(adapter, (host,), host, simhca.SERVER, server=simhca.SERVER)

    host.run(f"causeway attach {simhca.SERVER}/m")
    nfs.mount(host, "4.2", server=simhca.SERVER)
    load = adapters.Load(host, simhca.SERVER)
    simhca.lose_cable(host)
    load.goes_on()
    manager = simhca.lose_hca(host, manager)
    load.end()
    adapters.refused_nothing(ADAPTERS[-1], host)

    nfs.unmount(host)
    nfs.stop(host)
    nfs.free(host)
    host.run("udevadm settle; causeway detach --all && causeway stop --force && modprobe -r causeway_disk causeway_target")
    simhca.end(host, manager)
    host.run("rmmod adapter_limits")
