# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what a host holds after a scenario with what the host held before it: attachments, exports, mounts and the
other KINDS, as guest/holdings prints them."""

KINDS = ("attachment", "export", "mount", "device", "module", "file")


class LeftBehind(AssertionError):
    """A scenario left something on a host whose kind it did not declare in LEAVES."""


def of(host):
    """Return a set with one line for each thing that a host holds now. Each line begins with its kind."""
    return set(host.run("/usr/lib/rig/holdings", timeout=120).lines)


def judge(host, before, now, leaves=()):
    """Raise LeftBehind if the set "now" has a line that "before" lacks. Ignore the kinds in "leaves": the scenario
    declares them, and the rig removes such things."""
    more = sorted(line for line in now - before if line.partition(" ")[0] not in leaves)
    if more:
        raise LeftBehind(f"{host.name}: left behind: {', '.join(more)}")
