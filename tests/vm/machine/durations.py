# SPDX-License-Identifier: GPL-2.0-or-later
"""The durations of scenarios and boots, which determine the order of a run and its estimate.

The cache has the last measurements of this machine. A new machine starts with
tests/vm/durations.json, which `tests/vm/run --keep-durations` writes from the cache.
"""

import fcntl
import json
from pathlib import Path

from . import cache
from .kernel import DEBUG

KEPT = Path(__file__).resolve().parents[1] / "durations.json"
# Assumed seconds of a scenario, and of the boot of one host, that were never measured.
UNKNOWN = {"stock": 30, "kasan": 60, "lockdep": 50}
BOOT = {"stock": 8, "kasan": 14, "lockdep": 11}


def boot_key(kernel, topology):
    """Return the name under which the boots of such hosts are kept."""
    return f"boot {kernel} " + " ".join(f"{spec.init}{spec.processors(kernel in DEBUG)}" for spec in topology.hosts)


def scenario_key(name, kernel):
    return f"{name} {kernel}"


class Durations:
    def __init__(self, kept=KEPT, measured=None):
        self.kept = kept
        self.measured = measured or cache.root() / "durations.json"
        self.known = {**self._read(kept), **self._read(self.measured)}

    @staticmethod
    def _read(path):
        """Return the durations in a file; none if it is missing or damaged, because a run works
        without them."""
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            return {str(key): float(seconds) for key, seconds in found.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def scenario(self, name, kernel):
        """Return the seconds that a scenario takes on a kernel that has booted."""
        return self.known.get(scenario_key(name, kernel), UNKNOWN.get(kernel, UNKNOWN["stock"]))

    def boot(self, kernel, topology):
        return self.known.get(boot_key(kernel, topology), BOOT.get(kernel, BOOT["stock"]) * len(topology.hosts))

    def group(self, group):
        """Return the seconds of one boot and its scenarios."""
        kernel, first = group[0]
        return self.boot(kernel, first.topology) + sum(self.scenario(each.name, kernel) for kernel, each in group)

    def lanes(self, groups, count):
        """Return the seconds until all lanes have finished. Each takes the next group when it is
        free."""
        ends = [0.0] * max(1, count)
        for group in groups:
            ends[ends.index(min(ends))] += self.group(group)
        return max(ends)

    def keep(self, key, seconds):
        """Store a measurement for later runs of all clones on this machine."""
        self.measured.parent.mkdir(parents=True, exist_ok=True)
        with open(self.measured.with_suffix(".lock"), "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.known = {**self._read(self.kept), **self._read(self.measured), key: round(seconds, 1)}
            new = self.measured.with_suffix(".new")
            new.write_text(json.dumps({**self._read(self.measured), key: round(seconds, 1)}, indent=0, sort_keys=True) + "\n",
                           encoding="utf-8")
            new.rename(self.measured)

    def write_kept(self, scenarios):
        """Write the kept file: the known durations of the existing scenarios, and of all boots."""
        names = {scenario_key(each.name, kernel) for each in scenarios for kernel in each.tiers}
        kept = {key: round(seconds) for key, seconds in self.known.items() if key in names or key.startswith("boot ")}
        self.kept.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n", encoding="utf-8")
