# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs cases with fio, and reads its report.

A load has command(ios), which runs that many I/Os, and report(output), which reads the output of
the command. A file of systems/ may have a Load of its own, which replaces this one."""

import json
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Report:
    ios: int
    vus: float              # virtual microseconds during which I/O ran
    waited: float = 0.0     # sum of the virtual microseconds of each I/O, which fio reports in nanoseconds
    latency: dict = field(default_factory=dict)         # percentile -> virtual microseconds


class Fio:
    def __init__(self, case, files):
        self.case, self.files = case, files

    def command(self, ios):
        case = self.case
        engine = "io_uring" if case.batch > 1 else "libaio"
        words = ["fio", "--output-format=json", "--disk_util=0", "--direct=1", "--thread", "--group_reporting",
                 f"--ioengine={engine}", f"--rw={case.rw}", f"--bs={case.block}", f"--iodepth={case.depth}",
                 f"--number_ios={ios // (case.devices * case.jobs)}", "--norandommap", "--randrepeat=1", "--invalidate=0",
                 "--size=200M", "--io_size=1T",
                 case.more]
        if case.batch > 1:
            words += [f"--iodepth_batch_submit={case.batch}", "--iodepth_batch_complete_min=1",
                      f"--iodepth_batch_complete_max={case.batch}"]
        if case.jobs > 1:
            words += [f"--numjobs={case.jobs}"]
        words += [f"--name=job{i} --filename={name}" for i, name in enumerate(self.files)]
        return " ".join(word for word in words if word)

    @staticmethod
    def report(output):
        jobs = json.loads(output)["jobs"]
        sides = [job[side] for job in jobs for side in ("read", "write")]
        busiest = max(sides, key=lambda side: side["total_ios"])
        table = busiest["clat_ns"].get("percentile", {})
        return Report(sum(side["total_ios"] for side in sides),
                      1000 * max(side["runtime"] for side in sides),
                      sum(side["total_ios"] * side["lat_ns"]["mean"] for side in sides) / 1000,
                      {f"p{float(key):g}": round(value / 1000, 3) for key, value in table.items()
                       if float(key) in (50, 95, 99, 99.9)})
