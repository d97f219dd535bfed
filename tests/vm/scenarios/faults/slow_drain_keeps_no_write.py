# SPDX-License-Identifier: GPL-2.0-or-later
"""A sent write whose time passes while its connection is still being drained fails when the drain has ended. It does not wait
for the next path, and a write after the next login is not held."""
import re

from machine.needs import module
from using import causeway

TIER = "long"
KERNELS = ("stock",)
REQUIRES = (module("dm_multipath"), module("slow_drain"))
LEAVES = ("export",)

AT = "/dev/causeway/10.0.0.1/"
MAPPED = "/dev/mapper/mp-fast"
DRAIN_MS = 1500
DRAINS = 2          # of each session: one data link, and the control link
LOST = r"\[ *([\d.]+)\] causeway: 10.0.0.1/{}: connection lost"
FAILED = r"\[ *([\d.]+)\] .*dev {}, sector \d+ op 0x1:\(WRITE\)"
# In any order: each cut ends the connections of both disks.
BOTH_UP = "(?s) up 10.0.0.1/fast.* up 10.0.0.1/all| up 10.0.0.1/all.* up 10.0.0.1/fast"
WRITE = "dd if=/dev/zero of={} bs=4k count=1 oflag=direct conv=notrunc status=none"


def when(said, pattern):
    """The kernel's time of the first message."""
    found = re.search(pattern, said)
    assert found, (pattern, said)
    return float(found.group(1))


def fails_after_the_drain(client, events, name, written, error):
    """Lose the connection while a write is under way, and check when it fails; then connect again."""
    device = client.run(f"basename $(readlink -f {AT}{name})").out.strip()
    client.run(f"dmesg -C; echo {DRAIN_MS} >/sys/module/slow_drain/parameters/ms")
    client.link_down()
    # It is sent, because the client has not noticed yet.
    result = client.start(WRITE.format(written)).wait(timeout=60, check=False)
    assert result.rc != 0 and error in result.out, result.out
    said = client.run("dmesg").out
    took = when(said, FAILED.format(device)) - when(said, LOST.format(name))
    print(f"{name}: failed {took:.3f} s after the loss")
    # The delay is a busy loop. On a machine with one processor it delays all else, and attempts to connect have drains too.
    assert DRAINS * DRAIN_MS / 1000 - 0.01 <= took < 60, (name, took)
    client.run("echo 0 >/sys/module/slow_drain/parameters/ms")
    state, = (each["state"] for each in causeway.connections(client) if each["name"] == name)
    assert state != "live", state
    client.link_up()
    events.wait_for(BOTH_UP, timeout=90)
    client.run(WRITE.format(AT + name), timeout=30)


def scenario(rig):
    server, client = rig.server, rig.client
    client.run("modprobe -a dm_multipath dm_round_robin")
    server.run("causeway export add fast --ram 16M --allow any && causeway export add all --ram 16M --allow any")
    # Both times are shorter than the drain.
    client.run("causeway attach 10.0.0.1/fast --queues 1 --fast-fail 0 && "
               "causeway attach 10.0.0.1/all --queues 1 --fast-fail off --io-timeout 1")
    client.run("modprobe slow_drain")       # probes a function of a module that is loaded now
    client.run(f"dmsetup create mp-fast --table \"0 $(blockdev --getsz {AT}fast) multipath 0 0 1 1 round-robin 0 1 1 {AT}fast 1\"")
    client.run("udevadm settle")
    events = causeway.watch(client)
    # One after the other: the kernel leaves out messages about failed I/O when there are many.
    fails_after_the_drain(client, events, "fast", MAPPED, "Link has been severed")
    fails_after_the_drain(client, events, "all", AT + "all", "Input/output error")
    client.run("udevadm settle; dmsetup remove_all; causeway detach --all && rmmod slow_drain")
