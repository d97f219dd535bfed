# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs loads in turn, A B A B, and computes how many times faster one is than the other.

A computer that others use as well is sometimes fast and sometimes slow; two consecutive runs see
about the same speed. So a ratio is computed from the two runs of one round, and the result is the
median of the rounds.

When a machine stalls for too long, queue pairs send again, and some connections even break: their
behaviour then depends on their timeouts and not on their speed. Such a round does not count for any
load."""

from dataclasses import dataclass
from statistics import median

from measure import sent_again

TIMEOUT = 900       # seconds of one run


@dataclass(frozen=True)
class Ratio:
    rounds: tuple

    @property
    def middle(self):
        return median(self.rounds)

    def fields(self):
        """Return the ratio in the form of the results."""
        return {"ratio": round(self.middle, 3), "lowest": round(min(self.rounds), 3), "highest": round(max(self.rounds), 3),
                "rounds": [round(each, 3) for each in self.rounds]}


class Runner:
    """A load on its host. The first run warms up and measures how many I/Os fill the time of a
    turn."""

    def __init__(self, host, load, seconds):
        self.host, self.load = host, load
        # fio reports the time of a run in milliseconds, so a shorter run would be too coarse.
        self.ios = load.case.ios
        self.ios = max(self.ios // 2, int(self.rate() * seconds))

    def rate(self):
        """Return the I/Os per second of one run."""
        report = self.load.report(self.host.run(self.load.command(self.ios), timeout=TIMEOUT).out)
        return 1e6 * report.ios / report.vus


class StoodStill(Exception):
    """A queue pair had to send again in every round."""


def take_turns(runners, hosts, rounds):
    """Return name -> rate in each round, for name -> Runner. Up to twice as many rounds run, until enough of them counted. Fewer
    than "rounds" may count."""
    rates = {name: [] for name in runners}
    for _ in range(2 * rounds):
        before = [sent_again(host) for host in hosts]
        found = {name: runner.rate() for name, runner in runners.items()}
        if [sent_again(host) for host in hosts] != before:
            continue
        for name, rate in found.items():
            rates[name].append(rate)
        if all(len(each) == rounds for each in rates.values()):
            break
    if not all(rates.values()):
        raise StoodStill(f"queue pairs had to send again in each of {2 * rounds} rounds")
    return rates


def ratio(rates, one, other):
    """Return how many times faster one is than the other."""
    return Ratio(tuple(a / b for a, b in zip(rates[one], rates[other])))
