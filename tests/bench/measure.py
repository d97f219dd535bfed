# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of a case: what the machine counts over a long run of fio less what it counts over a short one.

The machine runs by instruction count (QEMU -icount shift=0, sleep=off): one guest instruction is one virtual
nanosecond, and time that nobody waits for is skipped. So virtual time less idle time is instructions, of both ends
and of the network between them; and what fio costs before its first and after its last I/O is the same in both runs.
"""

import json
import re

# Totals since boot. idle_sleeptime is exact when nothing else is idle; read last and first.
COUNTERS = r"""
grep -m1 -o 'idle_sleeptime *: [0-9]*' /proc/timer_list
echo "time: $(date +%s%N)"
grep -E '^(ctxt|softirq) ' /proc/stat
awk '/^intr/ { print "intr", $2 }' /proc/stat
for d in /sys/class/infiniband/*; do
    for c in sent_pkts rcvd_pkts send_rnr_err send_err retry_exceeded_err duplicate_request; do
        [ ! -e $d/ports/1/hw_counters/$c ] || echo "${d##*/}.$c: $(cat $d/ports/1/hw_counters/$c)"
    done
done
"""


def parse(text):
    """The counters in what COUNTERS printed: name -> number."""
    found = {}
    for line in text.splitlines():
        match = re.match(r"([\w.]+) *:? +(\d+)", line)
        if match:
            found[match.group(1)] = int(match.group(2))
    return found


def split_output(text):
    before, report, after = text.split("=====\n")
    return parse(before), json.loads(report), parse(after)


def one_run(host, case, files, ios):
    out = host.run(f"{COUNTERS}\necho =====; {case.fio(files, ios)}; echo; echo =====\n{COUNTERS}", timeout=1800).out
    before, report, after = split_output(out)
    return {name: after[name] - before[name] for name in after if name in before}, report


def percentiles(report):
    """Completion latencies in virtual microseconds."""
    job = report["jobs"][0]
    side = max(("read", "write"), key=lambda name: job[name]["total_ios"])
    table = job[side]["clat_ns"].get("percentile", {})
    return {f"p{float(key):g}": value / 1000 for key, value in table.items()
            if float(key) in (50, 95, 99, 99.9)}


def done(report):
    return sum(job[side]["total_ios"] for job in report["jobs"] for side in ("read", "write"))


def run_time(report):
    """Virtual milliseconds in which I/O went on: what is around it waits for fio's own clock."""
    return max(job[side]["runtime"] for job in report["jobs"] for side in ("read", "write"))


def profile(host, case, files):
    """Where the instructions of a case go, by symbol: time is instructions, so a clock's samples are a profile."""
    host.run(f"perf record -q -o /tmp/perf.data -a -e cpu-clock -F 9973 -- {case.fio(files, 4 * case.ios)} >/dev/null",
             timeout=1800)
    return host.run("perf report -q -i /tmp/perf.data --no-children --stdio --sort symbol --percent-limit 0.3", timeout=600).out


def figures(host, case, files):
    """Runs a case; the figures per I/O."""
    one_run(host, case, files, case.ios // 4)           # warm
    short, short_report = one_run(host, case, files, case.ios)
    long, long_report = one_run(host, case, files, 3 * case.ios)
    ios = done(long_report) - done(short_report)
    runtime = run_time(long_report) - run_time(short_report)
    per_io = {name: (long[name] - short[name]) / ios for name in long}
    packets = {name: round(value, 3) for name, value in per_io.items() if name.endswith("_pkts")}
    return {
        "case": case.name,
        "ios": ios,
        "kinsn_per_io": round((per_io["time"] - per_io["idle_sleeptime"]) / 1000, 3),
        "vus_per_io": round(1000 * runtime / ios, 3),
        "context_switches_per_io": round(per_io["ctxt"], 3),
        "interrupts_per_io": round(per_io["intr"], 3),
        "softirqs_per_io": round(per_io["softirq"], 3),
        "packets_per_io": packets,
        "latency_vus": percentiles(long_report),
    }
