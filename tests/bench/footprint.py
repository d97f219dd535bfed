# SPDX-License-Identifier: GPL-2.0-or-later
"""What a machine holds: memory and RDMA objects, and by how much each grows with every attachment."""

import json
import re

PAGE = 4096
MEMINFO = ("MemAvailable", "Slab", "Percpu", "VmallocUsed", "KernelStack")
OBJECTS = ("pd", "cq", "qp", "cm_id", "mr")
# What the kernel could give back at once shall not count; nor pages that a processor keeps for its next request, which
# MemAvailable takes for used.
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
    """Bytes in use, without so many pages that processors keep; what is in none of the parts was taken by the page."""
    found = {name: int(value) * 1024 for name, value in re.findall(r"^(\w+): +(\d+) kB", text, re.M)}
    parts = {name: found[name] for name in MEMINFO if name != "MemAvailable"}
    all_of_it = found["MemTotal"] - found["MemAvailable"] - PAGE * kept
    return {"memory": all_of_it, **parts, "pages": all_of_it - sum(parts.values())}


def vmalloc(text):
    """Bytes by the module that asked for them."""
    found = {}
    for line in text.splitlines():
        match = re.search(r"\+0x\S+ \[(\w+)\] pages=(\d+)", line)
        if match:
            key = f"vmalloc of {match.group(1)}"
            found[key] = found.get(key, 0) + PAGE * int(match.group(2))
    return found


def slabs(text):
    """Bytes by cache."""
    found = {}
    for line in text.splitlines():
        match = re.match(r"(\S+) +\d+ +\d+ +\d+ +\d+ +(\d+) : tunables .* : slabdata +\d+ +(\d+)", line)
        if match:
            found[f"slab {match.group(1)}"] = PAGE * int(match.group(2)) * int(match.group(3))
    return found


def objects(text):
    """How many of each kind there are on all devices."""
    return {name: sum(device[name] for device in json.loads(text)) for name in OBJECTS}


def read(host):
    """name -> bytes or number, of all that the machine holds now."""
    parts = host.run(READ, timeout=180).out.split("=====\n")
    return {**meminfo(parts[0], int(parts[1])), **vmalloc(parts[2]), **slabs(parts[3]), **objects(parts[4])}


def slope(points):
    """By how much y grows with x, of (x, y): least squares."""
    middle_x = sum(x for x, _ in points) / len(points)
    middle_y = sum(y for _, y in points) / len(points)
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / sum((x - middle_x) ** 2 for x, _ in points)


def slopes(readings):
    """The same for each name, of (x, reading)."""
    names = dict.fromkeys(name for _, reading in readings for name in reading)
    return {name: slope([(x, reading.get(name, 0)) for x, reading in readings]) for name in names}
