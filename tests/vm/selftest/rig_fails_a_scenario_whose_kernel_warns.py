# SPDX-License-Identifier: GPL-2.0-or-later
"""A WARN in a module fails the scenario that caused it, although all its commands succeed."""

TIER = "check"
MUST_FAIL = r"server: kernel complaint\n.*WARNING:.*rig_warns"


def scenario(rig):
    rig.server.run("modprobe rig_warns")
