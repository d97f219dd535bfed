# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots the machine that counts, makes it both ends of a system, and measures."""

from contextlib import contextmanager

from machine.rig import Rig
from machine.topology import HostSpec, Topology

from measure import Refused, exact_kernel, figures, warm_up
from systems import load

TOPOLOGY = Topology(hosts=(HostSpec("bench", memory=2048, icount=True),), links=0, rdma="none",
                    packages=("linux-perf", "nfs-kernel-server", "nfs-common", "open-iscsi", "sg3-utils", "opensm", "nbd-client",
                              "nbd-server"))

running = set()         # rigs that are booted


@contextmanager
def booted(topology, made, folder, say):
    """Boot the machines of a topology with the stock kernel. Makes the folder for their log."""
    folder.mkdir(parents=True)
    rig = Rig(topology, "stock", *made, folder, say)
    with open(folder / "log", "w", encoding="utf-8") as rig.log_file:
        running.add(rig)
        try:
            rig.boot()
            yield rig
            rig.scan()
        finally:
            running.discard(rig)
            rig.power_off()


def switch_off():
    """Power off all machines, even while threads wait for them."""
    for rig in list(running):
        rig.power_off()


def measure(ground, system, devices, cases, made, folder, say, also=None):
    """Yield the results of cases that share a machine. also(host, case, load) is called after each
    case that has figures. If every attempt at a case was refused, its result has the reason as
    "refused"."""
    with booted(TOPOLOGY, made, folder, say) as rig:
        host = rig.bench
        ground.setup(host)
        files = system.start(host, host, ground, devices)
        # All devices exist. From now on udev must start no program, which would be counted.
        host.run("udevadm settle && udevadm control --exit")
        kernel = exact_kernel(host)
        for case in cases:
            if hasattr(system, "before"):
                system.before(host, case)
            driven = load(system, case, files)
            if case is cases[0]:
                warm_up(host, driven, case.ios)
            try:
                result = figures(host, ground, case, driven, getattr(system, "SCALE", 1))
            except Refused as error:
                yield {"system": system.NAME, "transport": ground.name, "case": case.name, "refused": str(error)}
                continue
            yield {"system": system.NAME, "transport": ground.name, **result, "kernel": kernel}
            if also:
                also(host, case, driven)
