# SPDX-License-Identifier: GPL-2.0-or-later
"""One scenario file for several cases, such as transports: each case is a scenario of its own, called NAME[CASE]."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    name: str
    values: tuple = ()
    declared: dict = field(default_factory=dict)


def case(name, *values, **declared):
    """A case with the values that scenario() gets after its name; declared: TIER, REQUIRES and so on, in place of the file's."""
    return Case(name, values, declared)


def for_each(cases):
    """Make scenario(rig, name, *values) of a file a scenario for each of these cases; a name alone is a case without values."""
    made = [each if isinstance(each, Case) else Case(each) for each in cases]
    if len({each.name for each in made}) != len(made):
        raise SyntaxError("two cases have the same name")

    def keep(scenario):
        scenario.cases = made
        return scenario

    return keep
