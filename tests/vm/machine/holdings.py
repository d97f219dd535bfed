# SPDX-License-Identifier: GPL-2.0-or-later
"""What a host holds that somebody set up, as guest/holdings prints it, and what a scenario left of it."""

KINDS = ("attachment", "export", "mount", "device", "module", "file")


class LeftBehind(AssertionError):
    """A scenario left something behind that it did not declare."""


def of(host):
    """The lines of what a host holds now; each begins with its kind."""
    return set(host.run("/usr/lib/rig/holdings", timeout=120).lines)


def judge(host, before, now, leaves=()):
    """Raise LeftBehind where a host holds more than before, but for kinds that the scenario leaves to the rig."""
    more = sorted(line for line in now - before if line.partition(" ")[0] not in leaves)
    if more:
        raise LeftBehind(f"{host.name}: left behind: {', '.join(more)}")
