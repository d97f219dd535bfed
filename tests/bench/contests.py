# SPDX-License-Identifier: GPL-2.0-or-later
"""What runs in turn on two machines: Causeway and a peer with the same load, and each with more and more of something.

The one client machine stands for all clients: where a contest speaks of attachments, they are connections of their own
to exports of their own, but one machine serves them all.
"""

from dataclasses import dataclass, replace

from cases import CASES, Case

PEERS = ("nvme", "srp", "rnbd", "iser")
DIRECTIONS = ("randread", "randwrite")
OWN, RIVAL = "causeway", "nvme"     # of those that grow
PROCESSORS = 2                      # of each machine where something grows


@dataclass(frozen=True)
class Entry:
    system: str
    case: Case
    queues: int = 1     # of each device

    @property
    def name(self):
        return f"{self.system}/{self.case.name}"


@dataclass(frozen=True)
class Contest:
    name: str
    entries: tuple
    comparisons: tuple      # (entry, the one it is compared with)


@dataclass(frozen=True)
class Field:
    """Contests that share a boot of the two machines."""
    name: str
    cpus: int
    contests: tuple

    def wanted(self):
        """(system, queues) -> devices."""
        most = {}
        for entry in (entry for contest in self.contests for entry in contest.entries):
            key = entry.system, entry.queues
            most[key] = max(most.get(key, 0), entry.case.devices)
        return most

    def only(self, chosen):
        """The contests that are chosen by name."""
        return replace(self, contests=tuple(contest for contest in self.contests if chosen(contest.name)))


def against(peer):
    """Causeway and a peer, one device of one queue each."""
    names = [f"{rw}-4k-{depth}" for depth in ("qd1", "qd16", "qd16-batch") for rw in DIRECTIONS]
    for name in [*names, "read-128k-qd4", "write-128k-qd4"]:
        entries = tuple(Entry(system, CASES[name]) for system in (OWN, peer))
        yield Contest(f"{peer}/{name}", entries, (entries,))


def growing(name, points):
    """Each point with the first one of the same system, and Causeway with its rival at each."""
    of = {system: [Entry(system, case, queues) for case, queues in points] for system in (OWN, RIVAL)}
    comparisons = [(entry, entries[0]) for entries in of.values() for entry in entries[1:]]
    # Point by point, so that what is compared runs close together.
    pairs = list(zip(*of.values()))
    return Contest(name, tuple(entry for pair in pairs for entry in pair), tuple(pairs + comparisons))


def growth(rw):
    def case(what, depth, ios=1200, **rest):
        return Case(f"{rw}-4k-{what}", rw, 4096, depth, ios, **rest)

    yield growing(f"jobs/{rw}", [(case(f"qd4-{n}jobs", 4, jobs=n), PROCESSORS) for n in (1, 2, 4)])
    yield growing(f"queues/{rw}", [(case(f"qd4-4jobs-{n}queues", 4, jobs=4), n) for n in (1, PROCESSORS)])
    # As many in flight together, on more and more devices.
    yield growing(f"exports/{rw}", [(case(f"qd{16 // n}-{n}exports", 16 // n, devices=n), PROCESSORS) for n in (1, 2, 4, 8)])
    # As many in flight on each.
    yield growing(f"attachments/{rw}", [(case(f"qd4-{n}attachments", 4, devices=n), PROCESSORS) for n in (1, 2, 4, 8)])


def fields():
    for peer in PEERS:
        yield Field(peer, 1, tuple(against(peer)))
    yield Field("growth", PROCESSORS, tuple(contest for rw in DIRECTIONS for contest in growth(rw)))
