# SPDX-License-Identifier: GPL-2.0-or-later
"""The measured cases: the shape of a load, and the number of its I/Os that make a figure."""

from dataclasses import dataclass

NFSD_THREADS = 8


@dataclass(frozen=True)
class Case:
    name: str
    rw: str
    block: int          # bytes
    depth: int
    ios: int            # the figure is the difference of a run of three times as many I/Os and a run of that many
    batch: int = 1      # submitted in one call
    devices: int = 1    # each with a job
    jobs: int = 1       # or this number of jobs
    more: str = ""
    threads: int = NFSD_THREADS     # of nfsd; another number concerns file systems only

    @property
    def writes(self):
        return "write" in self.rw


def small():
    for rw in ("randread", "randwrite"):
        for depth in (1, 2, 4, 16, 64):
            yield Case(f"{rw}-4k-qd{depth}", rw, 4096, depth, 800 if depth < 16 else 1200)
        for depth in (16, 64):
            yield Case(f"{rw}-4k-qd{depth}-batch", rw, 4096, depth, 1200, batch=16)


def large():
    for rw in ("read", "write"):
        yield Case(f"{rw}-16k-qd16", "rand" + rw, 16 << 10, 16, 640)
        yield Case(f"{rw}-128k-qd4", "rand" + rw, 128 << 10, 4, 120)
        yield Case(f"{rw}-1m-qd4", "rand" + rw, 1 << 20, 4, 32)


def mixed():
    yield Case("randrw-4k-qd16", "randrw", 4096, 16, 1200, more="--rwmixread=70")
    yield Case("randwrite-4k-qd1-fsync", "randwrite", 4096, 1, 800, more="--fsync=1")
    for rw in ("randread", "randwrite"):
        yield Case(f"{rw}-4k-qd16-4devices", rw, 4096, 16, 2400, devices=4)


def few_threads():
    for rw in ("randread", "randwrite"):
        for threads in (2, 1):
            yield Case(f"{rw}-4k-qd16-{threads}thread{'s' if threads > 1 else ''}", rw, 4096, 16, 1200, threads=threads)


CASES = {case.name: case for case in [*small(), *large(), *mixed(), *few_threads()]}
