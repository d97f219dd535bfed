# SPDX-License-Identifier: GPL-2.0-or-later
"""The goals of Causeway in each case, and how near it is to them.

The goal against the best peer is the factor by which an I/O of Causeway has to cost less. Large I/O
is compared with raw verbs plus null_blk, whose cost Causeway may exceed by the factor ABOVE_RAW.
NFS over Causeway's transport is compared with NFS over the kernel's own transport. On the
grounds "wire" and "tcpwire" the cost is virtual time per I/O, on the others it is guest instructions
per I/O. There is no goal over TCP."""

from dataclasses import dataclass

from cases import CASES

PEERS = ("nvme", "srp", "rnbd", "iser")
CANNOT = {"sim": ("rnbd",)}         # peers that a transport does not carry
FIGURE = {"rxe": "kinsn_per_io", "wire": "vus_per_io", "siw": "kinsn_per_io", "sim": "kinsn_per_io", "tcp": "kinsn_per_io",
          "tcpwire": "vus_per_io"}
UNIT = {"kinsn_per_io": "thousand instructions per I/O", "vus_per_io": "virtual microseconds per I/O"}

# Case without its direction -> transport -> read, write.
AGAINST_PEERS = {
    "rand{}-4k-qd1": {"rxe": (1.35, 1.22), "wire": (1.3, 1.1), "sim": (1.5, 1.5)},
    "rand{}-4k-qd2": {"rxe": (1.25, 1.12), "wire": (1.35, 1.3)},
    "rand{}-4k-qd4": {"rxe": (1.2, 1.06), "wire": (1.3, 1.15)},
    "rand{}-4k-qd16": {"rxe": (1.7, 1.45), "wire": (2.2, 1.9)},
    "rand{}-4k-qd16-batch": {"rxe": (1.9, 1.65), "wire": (2.3, 2.0), "sim": (2.0, 2.0)},
    "rand{}-4k-qd64-batch": {"rxe": (1.9, 1.65), "wire": (2.3, 2.0)},
    "{}-16k-qd16": {"rxe": (1.3, 1.3), "wire": (1.5, 1.5)},
}
# The same for NFS over Causeway's transport, against the kernel's own; None: no goal.
AGAINST_INTREE = {
    "rand{}-4k-qd1": {"rxe": (1.1, 1.15), "wire": (1.08, 1.4), "sim": (1.2, 1.2)},
    "rand{}-4k-qd16": {"rxe": (1.1, 1.1), "sim": (1.2, 1.2)},
    "rand{}-4k-qd16-1thread": {"wire": (None, 1.5)},
    "{}-128k-qd4": {"rxe": (1.15, 1.15), "wire": (1.15, 1.15)},
}
ABOVE_RAW = 1.12
LARGE = ("{}-128k-qd4", "{}-1m-qd4")


@dataclass(frozen=True)
class Outcome:
    """The result of Causeway in a case: a ratio that has to be at least the goal, or at most the
    goal against raw verbs."""
    transport: str
    case: str
    ours: float
    other: float
    rival: str
    goal: float
    missing: tuple = ()     # peers that were not measured

    @property
    def against_raw(self):
        return self.rival == "raw + local"

    @property
    def ratio(self):
        return self.ours / self.other if self.against_raw else self.other / self.ours

    @property
    def reached(self):
        return self.ratio <= self.goal if self.against_raw else self.ratio >= self.goal and not self.missing

    @property
    def verdict(self):
        """Return "open" if the goal is reached against the peers that were measured, but a peer was not measured."""
        return "yes" if self.reached else "open" if self.missing and self.ratio >= self.goal else "no"

    @property
    def rivals(self):
        return self.rival + (f" (without {', '.join(self.missing)})" if self.missing else "")


class Table:
    """The content of results.json, by system, transport and case."""

    def __init__(self, results):
        self.results = {(each["system"], each["transport"], each["case"]): each for each in results}

    def __iter__(self):
        return iter(self.results.values())

    def get(self, system, transport, case):
        """Return the figure that is used on this transport, or None."""
        # null_blk costs the same with any transport.
        found = self.results.get((system, "rxe" if system == "local" else transport, case))
        return found[FIGURE[transport]] if found else None

    def revisions(self):
        """Return the measured revisions of Causeway."""
        return list(dict.fromkeys(each["revision"] for each in self if "revision" in each)) or ["not measured"]

    def origins(self):
        """Return (revision, day, kernel) -> the systems that were measured with it, and their
        transports."""
        found = {}
        for each in self:
            origin = tuple(each.get(name, "not recorded") for name in ("revision", "date", "kernel"))
            grounds = found.setdefault(origin, {}).setdefault(each["system"], [])
            if each["transport"] not in grounds:
                grounds.append(each["transport"])
        return found

    def systems(self):
        return list(dict.fromkeys(each["system"] for each in self))

    def of(self, transports):
        """Return the part of the table with these transports. It includes the cost of null_blk,
        which belongs to each transport."""
        return Table([each for each in self if each["transport"] in transports or each["system"] == "local"])

    def transports(self):
        return [name for name in FIGURE if any(each["transport"] == name and each["system"] != "local" for each in self)]

    def cases(self, transport):
        found = {each["case"] for each in self if each["transport"] == transport}
        return [name for name in CASES if name in found]

    def _best_peer(self, transport, case):
        """Return the figure and the name of the best peer, and the peers that were not measured."""
        values = {peer: self.get(peer, transport, case) for peer in PEERS if peer not in CANNOT.get(transport, ())}
        found = [(value, peer) for peer, value in values.items() if value is not None]
        return *(min(found) if found else (None, None)), tuple(peer for peer, value in values.items() if value is None)

    def outcomes(self):
        for pattern, goals in AGAINST_PEERS.items():
            for transport, pair in goals.items():
                for direction, goal in zip(("read", "write"), pair):
                    case = pattern.format(direction)
                    ours = self.get("causeway", transport, case)
                    other, rival, missing = self._best_peer(transport, case)
                    if ours and other:
                        yield Outcome(transport, case, ours, other, rival, goal, missing)
        for pattern in LARGE:
            for transport in ("rxe", "wire"):
                for direction in ("read", "write"):
                    case = pattern.format(direction)
                    ours, raw, local = (self.get(system, transport, case) for system in ("causeway", "raw", "local"))
                    if ours and raw and local:
                        yield Outcome(transport, case, ours, raw + local, "raw + local", ABOVE_RAW)
        yield from self._outcomes_of_nfs()

    def _outcomes_of_nfs(self):
        for pattern, goals in AGAINST_INTREE.items():
            for transport, pair in goals.items():
                for direction, goal in zip(("read", "write"), pair):
                    case = pattern.format(direction)
                    ours, other = (self.get(system, transport, case) for system in ("nfs-causeway", "nfs-intree"))
                    if goal and ours and other:
                        yield Outcome(transport, f"NFS {case}", ours, other, "nfs-intree", goal)
