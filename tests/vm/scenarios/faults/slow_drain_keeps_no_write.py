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
WRITE = "dd if=/dev/zero of={} bs=4k count=1 oflag=direct conv=notrunc status=none"


def when(said, pattern):
    """The kernel's time of the first message."""
    found = re.search(pattern, said)
    assert found, (pattern, said)
    return float(found.group(1))


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
    devices = {name: client.run(f"basename $(readlink -f {AT}{name})").out.strip() for name in ("fast", "all")}
    events = causeway.watch(client)
    client.run(f"dmesg -C; echo {DRAIN_MS} >/sys/module/slow_drain/parameters/ms")
    client.link_down()
    # They are sent, because the client has not noticed yet.
    writes = {"fast": client.start(WRITE.format(MAPPED)), "all": client.start(WRITE.format(AT + "all"))}
    for name, error in (("fast", "Link has been severed"), ("all", "Input/output error")):
        result = writes[name].wait(timeout=60, check=False)
        assert result.rc != 0 and error in result.out, result.out
        said = client.run("dmesg").out
        took = when(said, FAILED.format(devices[name])) - when(said, LOST.format(name))
        print(f"{name}: failed {took:.3f} s after the loss")
        # The delay is a busy loop. On a machine with one processor it delays all else, and attempts to connect have drains too.
        assert DRAINS * DRAIN_MS / 1000 - 0.01 <= took < 60, (name, took)
    client.run("echo 0 >/sys/module/slow_drain/parameters/ms")
    assert all(each["state"] != "live" for each in causeway.connections(client))
    client.link_up()
    for _ in writes:
        events.wait_for("live over", timeout=90)
    for name in writes:
        client.run(WRITE.format(AT + name), timeout=30)
    client.run("udevadm settle; dmsetup remove_all; causeway detach --all && rmmod slow_drain")
