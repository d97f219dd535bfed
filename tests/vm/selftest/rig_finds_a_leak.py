# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory that a module loses is found by the kmemleak scan after the scenario."""

from machine.topology import pair

TOPOLOGY = pair(leaks=True)
TIER = "ci"
KERNELS = ("lockdep",)
MUST_FAIL = r"server: kmemleak\nunreferenced object"


def scenario(rig):
    rig.server.run("modprobe rig_warns leak=1")
