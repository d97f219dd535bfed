# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures what a machine holds, memory and RDMA objects, and how much each grows with an
attachment."""

import json
import re

PAGE = 4096
MEMINFO = ("MemAvailable", "Slab", "Percpu", "VmallocUsed", "KernelStack")
OBJECTS = ("pd", "cq", "qp", "cm_id", "mr")
# Memory that the kernel could free at once must not count, nor must pages that a processor keeps
# for its next request, which MemAvailable counts as used.
READ = r"""
udevadm settle
sync
echo 3 >/proc/sys/vm/drop_caches
cat /proc/sys/vm/stat_refresh
cat /proc/meminfo
echo =====
awk '$1 == "count:" { pages += $2 } END { print pages }' /proc/zoneinfo
echo =====
cat /proc/vmallocinfo
echo =====
cat /proc/slabinfo
echo =====
rdma -j resource show
"""


def meminfo(text, kept):
    """Return the bytes in use, without the pages that processors keep. "pages" is the memory that
    belongs to no other part."""
    found = {name: int(value) * 1024 for name, value in re.findall(r"^(\w+): +(\d+) kB", text, re.M)}
    parts = {name: found[name] for name in MEMINFO if name != "MemAvailable"}
    all_of_it = found["MemTotal"] - found["MemAvailable"] - PAGE * kept
    return {"memory": all_of_it, **parts, "pages": all_of_it - sum(parts.values())}


def vmalloc(text):
    """Return the bytes by the module that allocated them."""
    found = {}
    for line in text.splitlines():
        match = re.search(r"\+0x\S+ \[(\w+)\] pages=(\d+)", line)
        if match:
            key = f"vmalloc of {match.group(1)}"
            found[key] = found.get(key, 0) + PAGE * int(match.group(2))
    return found


def slabs(text):
    """Return the bytes by cache."""
    found = {}
    for line in text.splitlines():
        match = re.match(r"(\S+) +\d+ +\d+ +\d+ +\d+ +(\d+) : tunables .* : slabdata +\d+ +(\d+)", line)
        if match:
            found[f"slab {match.group(1)}"] = PAGE * int(match.group(2)) * int(match.group(3))
    return found


def objects(text):
    """Return the number of objects of each kind on all devices."""
    return {name: sum(device[name] for device in json.loads(text)) for name in OBJECTS}


def read(host):
    """Return name -> bytes or number, for everything that the machine holds now."""
    parts = host.run(READ, timeout=180).out.split("=====\n")
    return {**meminfo(parts[0], int(parts[1])), **vmalloc(parts[2]), **slabs(parts[3]), **objects(parts[4])}


def slope(points):
    """Return how much y grows with x, by least squares over (x, y)."""
    middle_x = sum(x for x, _ in points) / len(points)
    middle_y = sum(y for _, y in points) / len(points)
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / sum((x - middle_x) ** 2 for x, _ in points)


def slopes(readings):
    """Return the slope for each name, over (x, reading)."""
    names = dict.fromkeys(name for _, reading in readings for name in reading)
    return {name: slope([(x, reading.get(name, 0)) for x, reading in readings]) for name in names}
