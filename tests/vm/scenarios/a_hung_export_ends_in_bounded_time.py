# SPDX-License-Identifier: GPL-2.0-or-later
"""An export whose disk hangs is removed, and its server stopped, in bounded time; the administrator reads that it was not flushed;
other exports are added, removed, flushed and ended meanwhile; and the disk is free again when it has answered."""
import json
import time

from rig.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("bad", "64M"), Disk("good", "64M"))})
TIER = "ci"

AT = "/dev/causeway/10.0.0.1/"
WRITE = f"dd if=/dev/urandom of={AT}{{}} bs=4k count=4 oflag=direct status=none"
PATIENCE, MORE = 5, 10      # s: until the clients are cut off, and until the answer


def exports(server):
    return {each["name"]: each for each in json.loads(server.run("causeway --json export list").out)["exports"]}


def losses(client):
    return {each["name"]: each["loss"] for each in json.loads(client.run("causeway --json list").out)["attachments"]}


def hang(rig, writes):
    """The disk takes a write and does not answer."""
    rig.server.run("dmsetup suspend --noflush bad")
    job = rig.client.start(WRITE.format("bad"))
    rig.server.wait_for(f"causeway stat | grep -qE '^ *writes +{writes}$'")
    return job


def scenario(rig):
    server, client = rig.server, rig.client
    bad, good = server.disk("bad"), server.disk("good")
    server.run(f"modprobe dm_mod; modprobe causeway_target end_timeout={PATIENCE}; "
               f"dmsetup create bad --table '0 131072 linear {bad} 0'")
    server.run(f"causeway export add good --device {good} && causeway export add bad --device /dev/mapper/bad")
    uuid = exports(server)["bad"]["identity"]
    for name in ("good", "bad"):
        client.run(f"causeway attach 10.0.0.1/{name}")
    events = client.start("causeway watch")
    events.wait_for("watching")
    client.run(WRITE.format("bad"))

    # ---- removal ----
    writer = hang(rig, 5)
    began = time.monotonic()
    removal = server.start("causeway export remove bad --force")
    server.wait_for("causeway export list | grep -q 'ending for'")
    server.fails("causeway export remove bad --force", "is being removed already")
    server.fails("causeway export add other --device /dev/mapper/bad", "is still ending|has not answered")
    # Others, and their clients, do not notice.
    server.run("causeway export add third --ram 1M && causeway export remove third", timeout=10)
    client.run(WRITE.format("good") + " conv=fsync", timeout=10)
    assert removal.running, removal.out
    said = removal.wait(timeout=PATIENCE + MORE + 10, check=False)
    took = time.monotonic() - began
    assert said.rc == 1 and "has not answered" in said.out and "not flushed" in said.out, (said.rc, said.out)
    assert took >= PATIENCE, took
    # The disk still has the write: neither it nor the module is free.
    assert exports(server)["bad"]["ending"] and writer.running
    server.fails(f"causeway export add bad --device /dev/mapper/bad --uuid {uuid}", "has not answered")
    server.fails("rmmod causeway_target", "in use")
    server.run("dmsetup resume bad")
    server.wait_for("! causeway export list | grep -q bad", timeout=20)
    server.run(f"causeway export add bad --device /dev/mapper/bad --uuid {uuid}")
    writer.wait(timeout=60)
    assert losses(client) == {"good": False, "bad": False}, losses(client)

    # ---- stop ----
    for name in ("good", "bad"):
        client.run(WRITE.format(name))
    writer = hang(rig, 9)
    stop = server.start("causeway stop")
    # The other export is flushed and its client notified at once, whatever the disk of the first does.
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
    server.run("causeway stop && dmsetup remove bad")
