# SPDX-License-Identifier: GPL-2.0-or-later
"""What is measured: one fio job each, and how many I/Os of it make a figure."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    name: str
    rw: str
    block: int          # bytes
    depth: int
    ios: int            # the figure is the difference of a run of twice as many more and a run of as many
    batch: int = 1      # submitted in one call
    devices: int = 1    # and as many jobs
    more: str = ""

    def fio(self, files, ios):
        """The command for files (one per device), moving so many I/Os in all."""
        engine = "io_uring" if self.batch > 1 else "libaio"
        words = ["fio", "--output-format=json", "--disk_util=0", "--direct=1", "--thread", "--group_reporting",
                 f"--ioengine={engine}", f"--rw={self.rw}", f"--bs={self.block}", f"--iodepth={self.depth}",
                 f"--number_ios={ios // self.devices}", "--norandommap", "--randrepeat=1", "--invalidate=0", "--size=200M",
                 self.more]
        if self.batch > 1:
            words += [f"--iodepth_batch_submit={self.batch}", "--iodepth_batch_complete_min=1",
                      f"--iodepth_batch_complete_max={self.batch}"]
        words += [f"--name=job{i} --filename={name}" for i, name in enumerate(files)]
        return " ".join(word for word in words if word)


def small():
    for rw in ("randread", "randwrite"):
        for depth in (1, 2, 4, 16, 64):
            yield Case(f"{rw}-4k-qd{depth}", rw, 4096, depth, 2000 if depth < 16 else 4000)
        for depth in (16, 64):
            yield Case(f"{rw}-4k-qd{depth}-batch", rw, 4096, depth, 4000, batch=16)


def large():
    for rw in ("read", "write"):
        yield Case(f"{rw}-16k-qd16", "rand" + rw, 16 << 10, 16, 2000)
        yield Case(f"{rw}-128k-qd4", "rand" + rw, 128 << 10, 4, 400)
        yield Case(f"{rw}-1m-qd4", "rand" + rw, 1 << 20, 4, 60)


def mixed():
    yield Case("randrw-4k-qd16", "randrw", 4096, 16, 3000, more="--rwmixread=70")
    yield Case("randwrite-4k-fsync", "randwrite", 4096, 1, 1500, more="--fsync=1")
    for rw in ("randread", "randwrite"):
        yield Case(f"{rw}-4k-qd16-4devices", rw, 4096, 16, 4000, devices=4)


CASES = {case.name: case for case in [*small(), *large(), *mixed()]}
