# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts from the metrics how often a server reached its limits since its module was loaded."""

import re


def met(server):
    """Return the counts by the names of the limits."""
    out = server.run("causeway metrics").out
    return {name: int(count) for name, count in re.findall(r'^causeway_limit_met\w*\{limit="(.*)"\} (\d+)$', out, re.M)}
