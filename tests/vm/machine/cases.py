# SPDX-License-Identifier: GPL-2.0-or-later
"""Several scenarios in one file, for example one for each transport. Each case is a scenario of its
own, called NAME[CASE]."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    name: str
    values: tuple = ()
    declared: dict = field(default_factory=dict)


def case(name, *values, **declared):
    """Return a case. scenario() gets the values after the name; declared holds TIER, REQUIRES and
    so on, which replace those of the file."""
    return Case(name, values, declared)


def for_each(cases):
    """Make a scenario of scenario(rig, name, *values) for each of these cases. A name alone is a
    case without values."""
    made = [each if isinstance(each, Case) else Case(each) for each in cases]
    if len({each.name for each in made}) != len(made):
        raise SyntaxError("two cases have the same name")

    def keep(scenario):
        scenario.cases = made
        return scenario

    return keep
