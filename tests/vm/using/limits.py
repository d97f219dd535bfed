# SPDX-License-Identifier: GPL-2.0-or-later
"""How often the limits of a server were met since its module was loaded, as the metrics count it."""

import re


def met(server):
    """The counts by the names of the limits."""
    out = server.run("causeway metrics").out
    return {name: int(count) for name, count in re.findall(r'^causeway_limit_met\w*\{limit="(.*)"\} (\d+)$', out, re.M)}
