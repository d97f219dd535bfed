# SPDX-License-Identifier: GPL-2.0-or-later
"""Events of a guest's tracepoints, with the times of the guest's own clock."""
import re
from collections import namedtuple

FOLDER = "/sys/kernel/tracing"
LINE = re.compile(r"\s(\d+\.\d+): (\w+): (.*)$", re.M)
KEPT = re.compile(r"entries-in-buffer/entries-written: (\d+)/(\d+)")

Event = namedtuple("Event", "seconds name text")


def mounted(host):
    host.run(f"mountpoint -q {FOLDER} || mount -t tracefs tracefs {FOLDER}")


def start(host, *events):
    """Record only these events from now on. Each is named "system/event"."""
    mounted(host)
    host.run(f"cd {FOLDER} && echo 0 >events/enable && echo nop >current_tracer && echo >trace && echo 1 >tracing_on && "
             f"for each in {' '.join(events)}; do echo 1 >events/$each/enable || exit; done")


def recorded(host):
    """End the recording. Return the events since start(), in the order of their times. Fails if
    later events overwrote some of them."""
    host.run(f"echo 0 >{FOLDER}/events/enable")
    text = host.read(f"{FOLDER}/trace")
    kept, written = KEPT.search(text).groups()
    events = [Event(float(seconds), name, rest) for seconds, name, rest in LINE.findall(text)]
    assert kept == written == str(len(events)), (kept, written, len(events))
    return events
