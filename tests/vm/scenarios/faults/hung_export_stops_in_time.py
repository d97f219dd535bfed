# SPDX-License-Identifier: GPL-2.0-or-later
"""An export whose disk hangs is removed, and its server stopped, in bounded time. The administrator
reads that the disk was not flushed. Other exports are added, removed, flushed and ended meanwhile.
The disk is free again when it has answered. While clients that are cut off get no notice of the end
of their exports, other clients log in at once."""
import re
import time

from machine.topology import Disk, pair
from using import causeway

TOPOLOGY = pair(server={"disks": (Disk("bad", "64M"), Disk("good", "64M"))})
TIER = "long"
LEAVES = ("export",)

AT = "/dev/causeway/10.0.0.1/"
WRITE = f"dd if=/dev/urandom of={AT}{{}} bs=4k count=4 oflag=direct status=none"
PATIENCE, MORE = 5, 10      # s: until the server cuts the clients off, and then until the command returns
NOTICE = 2                  # s: until the server gives up a notice that has not arrived
CUT_OFF = ("cut1", "cut2", "cut3")


def exports(server):
    return {each["name"]: each for each in causeway.exports(server)}


def losses(client):
    return {each["name"]: each["loss"] for each in causeway.attachments(client)}


def hang(rig):
    """Start a write that the disk does not answer; return its Job."""
    # Counters belong to a session: a session that was lost and came back begins again at 0.
    writes = "causeway stat | awk '$1 == \"writes\" {n += $2} END {print n}'"
    before = int(rig.server.run(writes).out)
    rig.server.run("dmsetup suspend --noflush bad")
    job = rig.client.start(WRITE.format("bad"))
    rig.server.wait_for(f"[ $({writes}) -gt {before} ]")
    return job


def end_notices_do_not_delay_logins(rig):
    """Several exports end at the same time, and each has a client that does not receive the
    notice."""
    server, client = rig.server, rig.client
    # These sessions must not end by silence first, however long the removal takes to begin.
    server.run("echo 60000 > /sys/module/causeway/parameters/dead_ms && causeway export add other --ram 1M --allow any")
    for name in CUT_OFF:
        server.run(f"causeway export add {name} --ram 1M --allow any")
        client.run(f"causeway attach 10.0.0.1/{name} --queues 1")
    logins = server.start("causeway-peer 10.0.0.1 other logins 10000")
    logins.wait_for("ms$")
    client.link_down()
    began = time.monotonic()
    for removal in [server.start(f"causeway export remove {name} --force") for name in CUT_OFF]:
        removal.wait(timeout=30)
    assert time.monotonic() - began > NOTICE - 0.1, "the notices were taken"
    # The login that ran when the server gave up the last notice counts as well.
    logins.skip()
    logins.wait_for("ms$")
    assert logins.running, logins.out
    logins.kill()
    slowest = max(map(int, re.findall(r"^(\d+) ms$", logins.wait(check=False).out, re.M)))
    left = [float(at) for at in re.findall(r"\[ *([\d.]+)\] causeway: cut\d of 10.0.0.2 left: the export was removed",
                                           server.run("dmesg").out)]
    assert len(left) == len(CUT_OFF), left
    print(f"the slowest login took {slowest} ms; the sessions that were cut off ended within {max(left) - min(left):.3f} s")
    # One after the other, the ends would take twice NOTICE from the first to the last.
    assert slowest < NOTICE * 1000 * 0.9 and max(left) - min(left) < NOTICE * 1.5
    client.link_up()
    client.run("causeway detach --all --force", timeout=90)
    server.run("causeway export remove other --force")


def scenario(rig):
    server, client = rig.server, rig.client
    bad, good = server.disk("bad"), server.disk("good")
    server.run(f"modprobe dm_mod; modprobe causeway_target end_timeout={PATIENCE}; "
               f"dmsetup create bad --table '0 131072 linear {bad} 0'")
    server.run(f"causeway export add good --device {good} --allow any && causeway export add bad --device /dev/mapper/bad --allow any")
    uuid = exports(server)["bad"]["identity"]
    for name in ("good", "bad"):
        client.run(f"causeway attach 10.0.0.1/{name}")
    events = causeway.watch(client)
    client.run(WRITE.format("bad"))

    # ---- removal ----
    writer = hang(rig)
    began = time.monotonic()
    removal = server.start("causeway export remove bad --force")
    server.wait_for("causeway export list | grep -q 'ending for'")
    server.fails("causeway export remove bad --force", "is being removed already")
    server.fails("causeway export add other --device /dev/mapper/bad --allow any", "is still ending|has not answered")
    # Other exports and their clients go on.
    server.run("causeway export add third --ram 1M --allow any && causeway export remove third", timeout=10)
    client.run(WRITE.format("good") + " conv=fsync", timeout=10)
    assert removal.running, removal.out
    said = removal.wait(timeout=PATIENCE + MORE + 10, check=False)
    took = time.monotonic() - began
    assert said.rc == 1 and "has not answered" in said.out and "not flushed" in said.out, (said.rc, said.out)
    assert took >= PATIENCE, took
    # The disk still has the write: neither the disk nor the module is free.
    assert exports(server)["bad"]["ending"] and writer.running
    server.fails(f"causeway export add bad --device /dev/mapper/bad --uuid {uuid} --allow any", "has not answered")
    server.fails("rmmod causeway_target", "in use")
    server.run("dmsetup resume bad")
    server.wait_for("! causeway export list | grep -q bad", timeout=20)
    server.run(f"causeway export add bad --device /dev/mapper/bad --uuid {uuid} --allow any")
    writer.wait(timeout=60)
    assert losses(client) == {"good": False, "bad": False}, losses(client)

    # ---- stop ----
    for name in ("good", "bad"):
        client.run(WRITE.format(name))
    writer = hang(rig)
    stop = server.start("causeway stop --force")
    # The other export is flushed and its client notified at once, although the first disk hangs.
    events.wait_for("down 10.0.0.1/good", timeout=4)
    assert stop.running, stop.out
    said = stop.wait(timeout=PATIENCE + MORE + 10, check=False)
    assert said.rc == 1 and "'bad'" in said.out and "'good'" not in said.out, (said.rc, said.out)
    assert list(exports(server)) == ["bad"], exports(server)
    server.run("dmsetup resume bad")
    server.wait_for("! causeway export list | grep -q ending", timeout=20)
    server.run("causeway restore")
    writer.wait(timeout=60)
    assert not losses(client)["good"], losses(client)
    client.run("udevadm settle; causeway acknowledge 10.0.0.1/bad; causeway detach --all")
    end_notices_do_not_delay_logins(rig)
    server.run("causeway stop --force && dmsetup remove bad")
