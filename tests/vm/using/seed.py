# SPDX-License-Identifier: GPL-2.0-or-later
"""The seed of random actions in a scenario. It changes each day, so that days find faults that one
seed does not; PEER_SEED repeats one.

The log of a scenario has the seed in the command that received it.
"""

import os
import time


def of_today():
    return int(os.environ.get("PEER_SEED") or time.strftime("%Y%m%d", time.gmtime()))
