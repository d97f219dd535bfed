# SPDX-License-Identifier: GPL-2.0-or-later
"""The kmemleak scan after the scenario finds memory that a module lost."""

from machine.topology import pair

TOPOLOGY = pair(leaks=True)
TIER = "ci"
KERNELS = ("lockdep",)
MUST_FAIL = r"server: kmemleak\nunreferenced object"


def scenario(rig):
    rig.server.run("modprobe rig_warns leak=1")
