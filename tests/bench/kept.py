# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures that were kept, and whether those of now are worse: kept.json.

A figure is the median of several boots; its spread is the distance from the lowest to the highest of them, as a part of the median. A
figure of now is worse, or better, when its median is further from the kept one than SPREADS times the larger of both spreads, and than
GOAL: three boots do not show how far apart boots can be. Where the spread is larger than GOAL, a loss of GOAL would be lost in it: there the instructions that our own
functions execute are compared, which depend less on what else the machine does. They may grow by OURS of the whole figure: how many
completions come at once is not the same in each boot.
"""

import json
from dataclasses import dataclass, field
from statistics import median

GOAL = 0.005
SPREADS = 2
OURS = 0.01
STEP = 0.0005       # the counter's step may be so large a part of a figure
BETTER, SAME, WORSE, NEW = "better", "same", "worse", "new"


@dataclass(frozen=True)
class Figure:
    """What an I/O of a case costs: thousand instructions, or virtual microseconds (unit)."""
    unit: str
    boots: tuple            # the figure of each boot
    kinsn: float            # thousand instructions of the whole machine
    ours: float             # of these, those of our modules
    more: dict = field(default_factory=dict)        # of which revision, on which kernel

    @property
    def middle(self):
        return median(self.boots)

    @property
    def spread(self):
        return (max(self.boots) - min(self.boots)) / self.middle

    def fields(self):
        """As kept.json has it."""
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
    ours: float = 0.0       # by how much our functions grew, as a part of the whole figure

    @property
    def why(self):
        return f"{100 * self.change:+.2f} % with {100 * self.allowed:.2f} % allowed, our functions {100 * self.ours:+.2f} % of it"


def judge(now, kept):
    """What became of a figure; kept: None where there was none."""
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
    """What kept.json is to hold: the figures that are better or new, or were named; all others stay as they are."""
    chosen = {name for name, figure in now.items() if named(name) or judge(figure, kept.get(name)).word in (BETTER, NEW)}
    return {**kept, **{name: now[name] for name in chosen}}, chosen


def too_coarse(step, ios, figure):
    """Whether one step of the counter is more than STEP of a figure that so many I/Os made; step and figure in one unit."""
    return step / ios > STEP * figure
