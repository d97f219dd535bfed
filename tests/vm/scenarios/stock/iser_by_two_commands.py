# SPDX-License-Identifier: GPL-2.0-or-later
"""iSER of the kernel itself: exported and attached by --via iser, and nothing is left of it at the end."""
from using import stock

TOPOLOGY = stock.TOPOLOGY
TIER = "long"


def scenario(rig):
    stock.start_iscsid(rig.client)
    stock.judge(rig, "iser", stock.INITIATOR, "LOGGED_IN")
