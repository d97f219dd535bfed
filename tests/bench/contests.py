# SPDX-License-Identifier: GPL-2.0-or-later
"""The contests between two machines, whose loads run in turn: Causeway and a peer with the same
load, and each with more and more of something.

The one client machine represents all clients: each attachment of a contest is a connection of its
own to an export of its own, but one machine serves them all."""

from dataclasses import dataclass, replace

from cases import CASES, Case

PEERS = ("nvme", "srp", "rnbd", "iser")
DIRECTIONS = ("randread", "randwrite")
OWN, RIVAL = "causeway", "nvme"     # in contests that grow
PROCESSORS = 2                      # of each machine in contests that grow


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
    comparisons: tuple      # (entry, the entry that it is compared with)


@dataclass(frozen=True)
class Field:
    """Contests that share a boot of the two machines."""
    name: str
    cpus: int
    contests: tuple

    def wanted(self):
        """Return (system, queues) -> devices."""
        most = {}
        for entry in (entry for contest in self.contests for entry in contest.entries):
            key = entry.system, entry.queues
            most[key] = max(most.get(key, 0), entry.case.devices)
        return most

    def only(self, chosen):
        """Return the field with the contests whose names are chosen."""
        return replace(self, contests=tuple(contest for contest in self.contests if chosen(contest.name)))


def against(peer):
    """Yield the contests of Causeway and a peer, with one device of one queue each."""
    names = [f"{rw}-4k-{depth}" for depth in ("qd1", "qd16", "qd16-batch") for rw in DIRECTIONS]
    for name in [*names, "read-128k-qd4", "write-128k-qd4"]:
        entries = tuple(Entry(system, CASES[name]) for system in (OWN, peer))
        yield Contest(f"{peer}/{name}", entries, (entries,))


def growing(name, points):
    """Return a contest that compares each point with the first one of the same system, and Causeway
    with its rival at each point."""
    of = {system: [Entry(system, case, queues) for case, queues in points] for system in (OWN, RIVAL)}
    comparisons = [(entry, entries[0]) for entries in of.values() for entry in entries[1:]]
    # Entries that are compared run one after the other, so they are sorted by points.
    pairs = list(zip(*of.values()))
    return Contest(name, tuple(entry for pair in pairs for entry in pair), tuple(pairs + comparisons))


def growth(rw):
    def case(what, depth, ios=1200, **rest):
        return Case(f"{rw}-4k-{what}", rw, 4096, depth, ios, **rest)

    yield growing(f"jobs/{rw}", [(case(f"qd4-{n}jobs", 4, jobs=n), PROCESSORS) for n in (1, 2, 4)])
    yield growing(f"queues/{rw}", [(case(f"qd4-4jobs-{n}queues", 4, jobs=4), n) for n in (1, PROCESSORS)])
    # The total number of I/Os in flight stays, on more and more devices.
    yield growing(f"exports/{rw}", [(case(f"qd{16 // n}-{n}exports", 16 // n, devices=n), PROCESSORS) for n in (1, 2, 4, 8)])
    # The number of I/Os in flight on each device stays.
    yield growing(f"attachments/{rw}", [(case(f"qd4-{n}attachments", 4, devices=n), PROCESSORS) for n in (1, 2, 4, 8)])


def fields():
    for peer in PEERS:
        yield Field(peer, 1, tuple(against(peer)))
    yield Field("growth", PROCESSORS, tuple(contest for rw in DIRECTIONS for contest in growth(rw)))
