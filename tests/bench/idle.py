# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of idle connections, and of making one, counted in one machine that is both ends."""

import re

from fio import Report
from footprint import slope
from ground import GROUNDS
from counted import TOPOLOGY, booted
from measure import COUNTERS, count_verbs, one_run, parse

GROUND = GROUNDS["rxe"]
SECONDS = 80
DEPTH = 8       # of each attachment: many have to fit into the machine
BLOCK = 32      # attachments that are made in one run


class Sleep:
    """A load without I/O: what it counts are seconds."""

    @staticmethod
    def command(ios):
        return f"sleep {ios}; echo slept {ios}"

    @staticmethod
    def report(output):
        seconds = int(re.search(r"slept (\d+)", output).group(1))
        return Report(seconds, 1e6 * seconds)


class Attach(Sleep):
    """A load that makes attachments."""

    def __init__(self, first):
        self.first = first

    def command(self, ios):
        return (f"for ((i = {self.first}; i < {self.first + ios}; i++)); do causeway attach {GROUND.server}/r$i --queues 1 "
                f"--depth {DEPTH} --no-persist >/dev/null || exit 1; done; udevadm settle; echo slept 0")


def instructions(counts):
    return counts["time"] - counts["idle_sleeptime"] - counts["iowait_sleeptime"]


def packets_per_second(host):
    """Return the packets that the machine sends. The instructions of so little work are too few beside those of its own clock."""
    return count_verbs(host, GROUND, Sleep(), SECONDS)["both"]["packets_sent"]


def measure(most, made, folder, say):
    """Return the cost of making and of keeping each attachment, up to "most" of them, and the answer to one more."""
    with booted(TOPOLOGY, made, folder, say) as rig:
        host = rig.bench
        GROUND.setup(host)
        host.run(f"for ((i = 0; i <= {most}; i++)); do causeway export add r$i --ram 1M --no-persist --allow any || exit 1; done && "
                 "echo 4096 | tee /sys/module/causeway/parameters/max_{sessions,links}_host", timeout=600)
        host.run("modprobe causeway_disk")
        made_at, kept_at = [], [(0, packets_per_second(host))]
        for first in range(0, most, BLOCK):
            counts, _ = one_run(host, Attach(first), BLOCK, COUNTERS, parse)
            made_at.append((first + BLOCK, instructions(counts) / BLOCK / 1000, counts["time"] / BLOCK / 1e6))
            say(f"{made_at[-1][0]:5} attachments: {made_at[-1][1]:.0f} kinsn and {made_at[-1][2]:.1f} virtual ms for each of the last {BLOCK}")
            if first + BLOCK in (BLOCK, most // 2, most):
                kept_at.append((first + BLOCK, packets_per_second(host)))
        refusal = host.run(f"causeway attach {GROUND.server}/r{most} --queues 1 --no-persist", check=False)
    return {"attach": [{"attachments": n, "kinsn": round(kinsn, 1), "vms": round(ms, 2)} for n, kinsn, ms in made_at],
            "idle_packets_per_second": round(slope(kept_at), 3),
            "one_more": {"exit": refusal.rc, "says": refusal.out.strip()}}
