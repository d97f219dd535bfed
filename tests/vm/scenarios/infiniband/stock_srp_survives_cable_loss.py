# SPDX-License-Identifier: GPL-2.0-or-later
"""SRP of the kernel itself runs on the simulated HCA, and goes on after a cable was pulled under its I/O."""
from machine.needs import module
from using import simhca, stock

TOPOLOGY = simhca.TOPOLOGY
TIER = "long"
REQUIRES = (module("ib_srpt"), module("ib_srp"))


def scenario(rig):
    manager = simhca.begin(rig.host)
    service = f"{simhca.guid(0):016x}"      # of the node
    # Who comes and where it goes to are ports: the client sends by the first, and the address is that of the second.
    stock.judge_over_cable(rig, "srp", f"{simhca.guid(1):016x}", f"--target {service}",
                           f"--target fe80000000000000{simhca.guid(2):016x}")
    simhca.end(rig.host, manager)
