# SPDX-License-Identifier: GPL-2.0-or-later
"""A second in a guest lasts a second of the real machine, however busy that machine was while the
guest booted."""
import time

TIER = "check"


def scenario(rig):
    for host in rig.hosts.values():
        began, first = time.monotonic(), host.uptime()
        host.run("sleep 3")
        took, ticked = time.monotonic() - began, host.uptime() - first
        assert took >= 2.9 and 2.9 <= ticked <= took + 1, f"{host.name}: {ticked} s there, {took:.1f} s here"
