# SPDX-License-Identifier: GPL-2.0-or-later
"""Decides which scenarios run on which kernels, and which of them share a boot.

Each pair of a scenario and a kernel has a tier. A run takes one tier and those before it. It can also take a tenth of the
long tier; runs with ten consecutive numbers take all of it.
"""

import random
import subprocess
import time
import zlib

from .kernel import SUITES

TIERS = ("check", "ci", "long")
KERNEL_ORDER = ("stock", "lockdep", "kasan", "kcsan", *SUITES)
SHARES = 10
SPREAD = 12245          # this number makes the shares take about equally long


def share_of(name, kernel):
    """Return the share of the long tier to which a scenario on a kernel belongs.

    It depends on nothing else. So a scenario that is added or renamed moves no other scenario to a
    share that has run already. Another SPREAD moves all of them; the next ten runs in a row then
    take all again.
    """
    return zlib.crc32(f"{name} {kernel} {SPREAD}".encode()) % SHARES


def number_of_run(top, today=None):
    """Return the number that chooses a share, and its source: the count of commits, or the day in a
    shallow clone, where the count is unknown."""
    def git(*words):
        done = subprocess.run(["git", "-C", str(top), *words], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""

    count = git("rev-list", "--count", "HEAD")
    if count and git("rev-parse", "--is-shallow-repository") == "false":
        return int(count), f"{count} commits"
    day = int(time.time() if today is None else today) // 86400
    return day, f"day {day}, as the commits cannot be counted here"


def kernels_of(scenario, tier="long", share=None, kernels=(), named=""):
    """Return the kernels on which a scenario runs in a tier. "kernels" replaces those that it
    declares. The scenario with the name "named" runs in every tier."""
    def in_tier(kernel, declared):
        if scenario.called(named) and declared == scenario.tier:
            return True
        if TIERS.index(declared) <= TIERS.index(tier):
            return True
        return declared == "long" and share is not None and share_of(scenario.name, kernel) == share % SHARES

    if not kernels:
        chosen = {kernel for kernel, declared in scenario.tiers.items() if in_tier(kernel, declared)}
    else:
        # A scenario that does not declare stock needs features of the kernels that it declares.
        able = set(kernels) if "stock" in scenario.tiers else set(kernels) & set(scenario.tiers)
        chosen = {kernel for kernel in able if in_tier(kernel, scenario.tier)}
    return [kernel for kernel in KERNEL_ORDER if kernel in chosen]


def plan(scenarios, durations, seed=0, **wanted):
    """Apply kernels_of() to each scenario and return lists of (kernel, scenario) that share a boot.
    The longest boot comes first, so that none starts late. The seed determines the order within a
    boot, because no scenario may depend on another one."""
    whole = []
    for kernel in KERNEL_ORDER:
        groups = {}
        for scenario in scenarios:
            if kernel in kernels_of(scenario, **wanted):
                groups.setdefault(scenario.topology, []).append(scenario)
        for group in groups.values():
            if seed != "names":
                random.Random(f"{seed} {kernel} {group[0].name}").shuffle(group)
            # Scenarios that make the hosts unusable come last in their group.
            whole.append([(kernel, scenario) for scenario in sorted(group, key=lambda s: s.dirty)])
    return sorted(whole, key=durations.group, reverse=True)
