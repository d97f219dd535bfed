# SPDX-License-Identifier: GPL-2.0-or-later
"""iSER of the kernel itself runs on the simulated HCA, and goes on after a cable was pulled under its I/O."""
from machine.needs import module
from using import simhca, stock

TOPOLOGY = simhca.topology(("open-iscsi",))
TIER = "long"
REQUIRES = (module("ib_isert"), module("ib_iser"))


def scenario(rig):
    manager = simhca.begin(rig.host)
    stock.start_iscsid(rig.host)
    stock.judge_over_cable(rig, "iser", stock.INITIATOR)
    simhca.end(rig.host, manager)
