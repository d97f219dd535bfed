# SPDX-License-Identifier: GPL-2.0-or-later
"""The seed of what is random in a scenario: another one each day, so that days find what one seed does not; PEER_SEED repeats one.

The log of a scenario has it in the command that was given it.
"""

import os
import time


def of_today():
    return int(os.environ.get("PEER_SEED") or time.strftime("%Y%m%d", time.gmtime()))
