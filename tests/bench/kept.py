# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares figures with those that are kept in kept.json.

A figure is the median of several boots. Its spread is the distance from the lowest to the highest of them, as a part of the
median. A new figure is worse, or better, if its median differs from the kept one by more than SPREADS times the larger of both
spreads, and by more than GOAL, because three boots do not show how far apart boots can be.

If the spread is larger than GOAL, it would hide a loss of GOAL. Then a figure is also worse if the instructions of Causeway's own
functions grew by more than OURS, as a part of all instructions of the machine. They depend less on other work of the machine, but
the number of completions that come at once differs between boots.
"""

import json
from dataclasses import dataclass, field
from statistics import median

GOAL = 0.005
SPREADS = 2
OURS = 0.01
STEP = 0.0005       # the largest part of a figure that one step of the counter may be
BETTER, SAME, WORSE, NEW = "better", "same", "worse", "new"


@dataclass(frozen=True)
class Figure:
    """The cost of one I/O of a case: thousand instructions, or virtual microseconds (unit)."""
    unit: str
    boots: tuple            # the figure of each boot
    kinsn: float            # thousand instructions of the whole machine, in the boot with the median
    ours: float             # thousand instructions of Causeway's modules, in the boot with the fewest
    more: dict = field(default_factory=dict)        # the revision and the kernel that were measured

    @property
    def middle(self):
        return median(self.boots)

    @property
    def spread(self):
        return (max(self.boots) - min(self.boots)) / self.middle

    def fields(self):
        """Return the fields in the form of kept.json."""
        return {"unit": self.unit, "median": round(self.middle, 3), "spread": round(self.spread, 5),
                "boots": [round(each, 3) for each in self.boots], "kinsn": round(self.kinsn, 3), "ours": round(self.ours, 4), **self.more}


def of_fields(fields):
    more = {name: value for name, value in fields.items()
            if name not in ("unit", "median", "spread", "boots", "kinsn", "ours")}
    return Figure(fields["unit"], tuple(fields["boots"]), fields["kinsn"], fields["ours"], more)


def read(path):
    return {name: of_fields(fields) for name, fields in json.loads(path.read_text(encoding="utf-8")).items()}


def write(path, figures):
    path.write_text(json.dumps({name: figure.fields() for name, figure in figures.items()}, indent=1) + "\n", encoding="utf-8")


@dataclass(frozen=True)
class Verdict:
    word: str
    change: float = 0.0     # of the figure, as a part of the kept one
    allowed: float = 0.0
    ours: float = 0.0       # growth of Causeway's functions, as a part of the kept instructions of the machine

    @property
    def why(self):
        return f"{100 * self.change:+.2f} % with {100 * self.allowed:.2f} % allowed, our functions {100 * self.ours:+.2f} % of it"


def judge(now, kept):
    """Return the verdict on a figure. "kept" is None if none is kept."""
    if kept is None:
        return Verdict(NEW)
    change = now.middle / kept.middle - 1
    spread = max(now.spread, kept.spread)
    allowed = max(SPREADS * spread, GOAL)
    ours = (now.ours - kept.ours) / kept.kinsn
    verdict = SAME
    if change > allowed or (spread > GOAL and ours > OURS):
        verdict = WORSE
    elif change < -allowed:
        verdict = BETTER
    return Verdict(verdict, change, allowed, ours)


def to_keep(now, kept, named):
    """Return the new content of kept.json and the names that change: figures that are better, new or named. All others stay."""
    chosen = {name for name, figure in now.items() if named(name) or judge(figure, kept.get(name)).word in (BETTER, NEW)}
    return {**kept, **{name: now[name] for name in chosen}}, chosen


def too_coarse(step, ios, figure):
    """Return whether one step of the counter is more than STEP of a figure of that many I/Os. Step and figure have one unit."""
    return step / ios > STEP * figure
