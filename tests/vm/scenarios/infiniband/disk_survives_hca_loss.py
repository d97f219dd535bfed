# SPDX-License-Identifier: GPL-2.0-or-later
"""The removal of an HCA that IPoIB and a disk use leaves nothing behind. The disk goes on when the
HCA is back."""
from using import causeway, simhca, verified

TOPOLOGY = simhca.TOPOLOGY
TIER = "long"
LONG_KERNELS = ("kasan",)
LEAVES = ("export",)

DISK = "/dev/causeway/10.20.0.2/m"


def scenario(rig):
    host = rig.host
    manager = simhca.begin(host)
    host.run("causeway export add m --ram 64M --allow any && causeway attach 10.20.0.2/m")
    events = causeway.watch(host)
    fio = verified.start(host, DISK, "--rw=randrw --bs=16k --iodepth=8 --size=16M --loops=2")
    manager = simhca.lose_hca(host, manager)
    events.wait_for("down", timeout=60)
    events.wait_for("live over", timeout=120)
    verified.passes(fio)
    host.run("causeway detach --all && causeway stop --force")
    simhca.end(host, manager)
