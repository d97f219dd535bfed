# SPDX-License-Identifier: GPL-2.0-or-later
"""iSER of the kernel itself: exported and attached by --via iser, and nothing is left of it at the end."""
from machine.needs import module
from using import stock

TOPOLOGY = stock.TOPOLOGY
TIER = "long"
REQUIRES = (module("ib_isert"), module("ib_iser"))


def scenario(rig):
    stock.start_iscsid(rig.client)
    stock.judge(rig, "iser", stock.INITIATOR, "LOGGED_IN")
