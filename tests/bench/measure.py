# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures the figures of a case: the counts of the machine over a long run of a load, minus those
over a short run.

The machine runs by instruction count (QEMU -icount shift=0, sleep=off): one guest instruction is
one virtual nanosecond, and time in which every processor is idle is skipped. So virtual time minus
idle time is the number of instructions, of both ends and of the network between them. The cost of a
load before its first I/O and after its last is the same in both runs.

Kprobes count work requests, completions and the like in separate runs before the others, so that
the counting does not add to the figures.

A measurement is refused and repeated if a queue pair or TCP sent something again in it, or if a
counter is further below zero than other work of the machine can cause: such a measurement is not
valid for the case."""

import re

# Totals since boot. Time in which a program waits for a disk (iowait) is idle as well.
COUNTERS = r"""
grep -m2 -oE '(idle|iowait)_sleeptime *: [0-9]*' /proc/timer_list
echo "time: $(date +%s%N)"
grep -E '^(ctxt|softirq) ' /proc/stat
awk '/^intr/ { print "intr", $2 }' /proc/stat
"""
VERBS = "cat /sys/kernel/debug/verbs_count; cd /sys/class/infiniband && grep -H . */ports/1/hw_counters/* || :"
SEGMENTS = "awk '/^Tcp: [0-9]/ { print \"tcp segments_sent\", $12 }' /proc/net/snmp"
COUNTED = {name: name for name in ("send_posts", "send_wrs", "recv_wrs", "registrations", "invalidations", "sends",
                                   "rdma_writes", "rdma_reads", "completions", "interrupts", "segments_sent")}
COUNTED |= {"sent_pkts": "packets_sent", "rcvd_pkts": "packets_received"}

# The counters of soft-RoCE that grow when a queue pair sends a packet again or gives up, and the
# segments that TCP sent again.
RETRIES = r"""
awk '/^Tcp: [0-9]/ { print $13 }' /proc/net/snmp
cat /sys/class/infiniband/*/ports/1/hw_counters/{completer_retry_err,retry_exceeded_err,retry_rnr_exceeded_err} 2>/dev/null || :
"""
TRIES = 3               # of a measurement that was refused
BELOW_ZERO = -0.05      # per I/O, of work requests and the like: two runs of a constant counter may differ by that much
STRAY = 250             # interrupts and the like of the whole machine that occur besides a load, in one of two runs and not in the other
MACHINE = ("context_switches_per_io", "interrupts_per_io", "softirqs_per_io")


class Refused(Exception):
    """A measurement is no figure of the case."""


def sent_again(host):
    """Return how often queue pairs and TCP of the host have sent again so far."""
    return sum(map(int, host.run(RETRIES).lines))


def stray(ios):
    """Return how far below zero a counter of the whole machine may be, per I/O, in a measurement of
    that many I/Os."""
    return min(BELOW_ZERO, -STRAY / ios)


def refuse(counters, retries, lowest=BELOW_ZERO):
    """Raise Refused if something was sent again, or if one of the counters per I/O is below the lowest that it may be."""
    if retries:
        raise Refused(f"queue pairs or TCP sent again {retries} times")
    below = {name: value for name, value in counters.items() if value < lowest}
    if below:
        raise Refused("below zero: " + ", ".join(f"{name} {value:g}" for name, value in below.items()))


def insist(attempt, told=None):
    """Call attempt() up to TRIES times while it raises Refused; return its result. told is called
    with each refusal."""
    for left in reversed(range(TRIES)):
        try:
            return attempt()
        except Refused as error:
            if told:
                told(error)
            if not left:
                raise


def judge(result, retries):
    """Raise Refused if a measurement is not valid for its case."""
    refuse({name: result[name] for name in ("kinsn_per_io", "vus_per_io") if name in result}, retries)
    refuse({name: result[name] for name in MACHINE if name in result}, 0, stray(result["ios"]))
    for side, counts in result["verbs_per_io"].items():
        refuse({f"{side} {name}": value for name, value in counts.items()}, 0)


def exact_kernel(host):
    """Return the release of the kernel and the package that contains it."""
    release, version = host.run("uname -r; uname -v").lines
    package = re.search(r"Debian \S+", version)
    return release + (f" ({package.group(0)})" if package else "")


def parse(text):
    """Return the totals in the output of COUNTERS: name -> number."""
    found = {}
    for line in text.splitlines():
        match = re.match(r"([\w.]+) *:? +(\d+)", line)
        if match:
            found[match.group(1)] = int(match.group(2))
    return found


def parse_verbs(text):
    """Return the totals in the output of VERBS: (device, name) -> number."""
    found = {}
    for line in text.splitlines():
        match = re.match(r"(\w+)/ports/1/hw_counters/(\w+):(\d+)", line) or re.match(r"(\w+) (\w+) (\d+)", line)
        if match:
            found[match.group(1), match.group(2)] = int(match.group(3))
    return found


def difference(before, after):
    return {name: after[name] - before.get(name, 0) for name in after}


def one_run(host, load, ios, counters, read):
    """Run a load; return how much each counter grew, and the load's report."""
    out = host.run(f"{counters}\necho =====; {load.command(ios)}; echo; echo =====\n{counters}", timeout=1800).out
    before, report, after = out.split("=====\n")
    return difference(read(before), read(after)), load.report(report)


def per_io(host, load, runs, counters, read):
    """Return how much one I/O adds to each counter, and the reports of the short and the long
    run."""
    short, short_report = one_run(host, load, runs[0], counters, read)
    long, long_report = one_run(host, load, runs[1], counters, read)
    ios = long_report.ios - short_report.ios
    each = {name: value / ios for name, value in difference(short, long).items()}
    return each, short_report, long_report


def kinsn(each):
    """Return the thousands of instructions, from the totals of one I/O."""
    return (each["time"] - each["idle_sleeptime"] - each["iowait_sleeptime"]) / 1000


def warm_up(host, load, ios):
    """Load all programs of a measurement into memory: waiting for a disk must not be counted."""
    one_run(host, load, ios, COUNTERS, parse)


def sides(ground, counts):
    """Return the counts by the end that caused them. If both ends share a device, they are counted together, as "both"."""
    names = {ground.client_device: "client", ground.server_device: "server"} \
        if ground.client_device != ground.server_device else {ground.client_device: "both"}
    found = {side: {} for side in names.values()}
    for (device, name), value in counts.items():
        if device in names and name in COUNTED:
            found[names[device]][COUNTED[name]] = round(value, 3)
    return found


def count_verbs(host, ground, load, ios):
    """Return the work requests and the like per I/O of each side; over TCP the segments."""
    verbs = ground.transport == "rdma"      # the module needs an RDMA device
    if verbs:
        host.run("modprobe verbs_count")
    counts, _, _ = per_io(host, load, (ios // 8, 3 * ios // 8), VERBS if verbs else SEGMENTS, parse_verbs)
    if verbs:
        host.run("modprobe -r verbs_count")
    return sides(ground, counts)


# Samples of a halted processor are not instructions. The addresses of modules are above those of
# the kernel proper. Sorted by address among the modules' symbols, each sample comes after its
# symbol.
BY_MODULE = r"""
{ awk '/\[.*\]$/ && $1 ~ /^ffffffffc/ { print $1, $NF }' /proc/kallsyms
  perf script -i /tmp/perf.data -F ip,sym | awk '$2 != "native_safe_halt" && $2 != "default_idle" { printf "%16s %s\n", $1, "-" }' | tr ' ' 0 |
    sed 's/0-$/ -/'
} | sort | awk '
$2 != "-" { module = $2; next }
{ all++; sum[$1 ~ /^ffffffffc/ ? module : $1 ~ /^ffffffff/ ? "kernel" : "user"]++ }
END { for (name in sum) printf "%8.2f%%  %s\n", 100 * sum[name] / all, name }' | sort -rn
"""


PROFILED = 40       # times the usual number of I/Os: fio's work before the first I/O would be most of the profile


def profile(host, load, ios):
    """Return the distribution of a case's instructions, by module and by symbol. Time is
    instructions, so the samples of a clock are a profile. Instructions that run with interrupts off
    are counted where interrupts are turned on again (_raw_spin_unlock_irqrestore and the like)."""
    host.run(f"perf record -q -o /tmp/perf.data -a -e cpu-clock -F 9973 -- sh -c '{load.command(PROFILED * ios)}' >/dev/null",
             timeout=1800)
    return host.run(BY_MODULE, timeout=600).out + host.run(
        "perf report -q -i /tmp/perf.data --no-children --stdio --sort symbol --percent-limit 0.3 | sed -E 's/ +-.*$//'", timeout=600).out


def figures(host, ground, case, load, scale=1):
    """Run a case, with "scale" times its I/Os; return the figures per I/O. Raise Refused if no
    attempt was valid."""
    def attempt():
        before = sent_again(host)
        result = measured(host, ground, case, load, scale)
        judge(result, sent_again(host) - before)
        return result

    return insist(attempt)


def measured(host, ground, case, load, scale):
    """Measure a case once."""
    verbs = count_verbs(host, ground, load, case.ios)
    each, short, report = per_io(host, load, (scale * case.ios, 3 * scale * case.ios), COUNTERS, parse)
    ios = report.ios - short.ios
    return {
        "case": case.name,
        "ios": ios,
        "kinsn_per_io": round(kinsn(each), 3),
        "vus_per_io": round((report.vus - short.vus) / ios, 3),
        "context_switches_per_io": round(each["ctxt"], 3),
        "interrupts_per_io": round(each["intr"], 3),
        "softirqs_per_io": round(each["softirq"], 3),
        "verbs_per_io": verbs,
        "latency_vus": report.latency,
    }
