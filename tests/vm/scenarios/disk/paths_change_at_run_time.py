# SPDX-License-Identifier: GPL-2.0-or-later
"""Paths of an attached disk are added and removed while verified I/O runs. A removed path answers its commands before it ends, so
it owes no fence, also if the removal cuts a batch. If the server's disk holds a command, the removal ends in time, and no write is
lost or undone; a path with the same number waits for the fence. If the other paths are lost meanwhile, the path stays, and I/O goes
on by it. The last path, and the only live one, cannot be removed. A detach during a removal ends both. The configuration file has
the paths that the disk has."""
import time

from machine.needs import module
from machine.topology import Disk
from using import causeway, hold, paths, verified

TIER = "long"
KERNELS = ("stock", "lockdep", "kasan")
TOPOLOGY = paths.topology(server={"disks": (Disk("store", "64M"),)})
REQUIRES = (module("dm_hold"),)
ONE, OTHER = paths.SERVERS
NAME = f"{ONE}/h"
DISK = f"/dev/causeway/{NAME}"
FILE = f"/etc/causeway/attachments.d/{ONE}:h.conf"
WHICH = f"server={ONE} name=h"
OTHER_IO = f"dd if=/dev/zero of={DISK} bs=4k seek=200 count=4 oflag=direct conv=notrunc status=none"
REMOVED = "dmesg | grep -c 'ended: the client removed this path'"
BOUND = 10      # seconds for which a removal waits for commands
ROUNDS = 10
VERIFIED = "--rw=randwrite --bs=4k --offset=16M --size=16M --time_based --runtime=1h"
REFUSED = {
    f"path-add {WHICH} disk-path={ONE}": "paths 0 and 1 have the same addresses",
    f"path-add {WHICH} disk-path=10.0.0.2,": "path 1 has no address of the server",
    f"path-add {WHICH} disk-path=10.2.0.1 disk-path={OTHER}": "the request has 2 paths: name one path to add",
    f"path-add server={ONE} name=none disk-path={OTHER}": f"{ONE}/none is not attached",
    f"path-remove {WHICH} id=0": f"path 0 is the last one of {NAME}: detach the disk instead",
    f"path-remove {WHICH} id=5": f"{NAME} has no path 5",
    f"path-remove {WHICH}": "the number of the path must be named",
}


def listed(client):
    return [(path["number"], path["peer"], path["state"], path["carries_io"], path["fencing"])
            for path in causeway.answer(client, f"path list {NAME}")["paths"]]


def kept(client):
    lines = client.read(FILE).splitlines()
    return [line.partition(" = ")[2] for line in lines if line.startswith("path = ")]


def add(client, events, address, number):
    told = causeway.answer(client, f"path add {NAME} --path {address}")
    assert told["number"] == number and told["changed"], told
    events.wait_for(f"path {number} is live", timeout=60)


def remove(client, events, path, number):
    assert not causeway.answer(client, f"path remove {NAME} {path}")["fencing"]
    told = events.wait_for(f"path {number}: removed( before)?", timeout=10)
    assert not told[1], "the commands of the path were not answered"


def refuse_wrong_paths(client):
    for words, why in REFUSED.items():
        said = client.run(f"causeway-netlink {words}", check=False)
        assert said.rc == 1 and why in said.out, (words, said)
    client.fails(f"causeway path remove {NAME} {ONE}", f"path 0 is the only one of {NAME}")
    client.fails(f"causeway path remove {NAME} {OTHER}", f"{NAME} has no path {OTHER}")
    assert listed(client) == [(0, f"{ONE}:4793", "live", True, False)]


def move_to_another_path(server, client, events):
    """I/O goes on by a path that is added, and the first path ends without a fence."""
    add(client, events, OTHER, 1)
    assert kept(client) == [ONE, OTHER]
    remove(client, events, ONE, 0)
    assert listed(client) == [(1, f"{OTHER}:4793", "live", True, False)]
    assert kept(client) == [OTHER]
    server.wait_for(f"[ $({REMOVED}) = 1 ]", timeout=10)
    client.run(OTHER_IO)


def lose_the_path_with_io(client, events):
    """The path that was removed is added again, and takes over. Then the lost path is removed and added while it is down."""
    add(client, events, ONE, 0)
    assert kept(client) == [ONE, OTHER]
    client.link_down(1)
    events.wait_for(f"path-down {NAME}: path 1", timeout=60)
    client.run(OTHER_IO, timeout=30)
    client.fails(f"causeway path remove {NAME} 0", f"path 0 is the only live one of {NAME}: wait until another one is live")
    assert kept(client) == [ONE, OTHER]
    client.run(f"causeway path remove {NAME} 1", timeout=30)
    assert [path[:2] for path in listed(client)] == [(0, f"{ONE}:4793")]
    client.run(f"causeway path add {NAME} --path {OTHER}")
    client.link_up(1)
    events.wait_for("path 1 is live", timeout=90)


def begin_removal(client, number):
    """Return the job of a removal that waits for the held write."""
    removal = client.start(f"causeway path remove {NAME} {number}")
    client.wait_for(f"causeway path list {NAME} | grep -q ending", timeout=BOUND)
    return removal


def remove_the_path_of_a_held_write(server, client, events, store):
    """Then add one with the same number, which joins only after the fence."""
    hold.arm(server)
    writer = client.start(f"{hold.write(DISK, 'A')} && {hold.write(DISK, 'B')}")
    hold.wait_held(server)
    began = time.monotonic()
    said = client.run(f"causeway path remove {NAME} 0", timeout=60).out
    took = time.monotonic() - began
    assert "its writes wait until the server has fenced it" in said, said
    assert BOUND - 1 < took < 2 * BOUND * client.agent.scale, took
    assert listed(client) == [(0, f"{ONE}:4793", "ending", False, True), (1, f"{OTHER}:4793", "live", True, False)]
    assert kept(client) == [OTHER]
    paths.wait_fence_waits(client)
    assert causeway.answer(client, f"path add {NAME} --path {ONE}")["number"] == 0
    client.run(OTHER_IO)
    assert listed(client)[0] == (0, f"{ONE}:4793", "down", False, True)
    assert hold.is_held(server) and writer.running
    hold.release(server)
    writer.wait()
    events.wait_for("path 0 is live", timeout=60)
    assert hold.content(server, store) == "B"


def lose_the_other_path_during_a_removal(server, client, events, store):
    """The path stays at once, although its write is held."""
    hold.arm(server)
    writer = client.start(hold.write(DISK, "C"))
    hold.wait_held(server)
    removal = begin_removal(client, 1)
    client.link_down(0)
    said = removal.wait(timeout=2 * BOUND, check=False)
    assert said.rc and f"path 1 of {NAME} stays: the other paths were lost meanwhile" in said.out, said
    client.run(OTHER_IO, timeout=30)
    assert hold.is_held(server) and writer.running
    assert kept(client) == [ONE, OTHER]
    hold.release(server)
    writer.wait()
    client.link_up(0)
    events.wait_for("path 0 is live", timeout=90)
    assert hold.content(server, store) == "C"


def remove_under_batches(client, events):
    """A removal may cut a batch. What was gathered on the path is sent all the same."""
    client.run(f"causeway attach {NAME} --path {ONE},{OTHER} --policy round-robin")
    events.wait_for("path 1 is live", timeout=60)
    client.wait_for(f"test -b {DISK}")
    job = verified.start(client, DISK, f"{VERIFIED} --iodepth=32 --iodepth_batch_submit=8")
    for _ in range(ROUNDS):
        remove(client, events, ONE, 0)
        add(client, events, ONE, 0)
    paths.passes(job)
    client.run(f"causeway detach {NAME}")


def detach_during_a_removal(server, client, events):
    client.run(f"causeway attach {NAME} --path {ONE},{OTHER} --policy single")
    events.wait_for("path 1 is live", timeout=60)
    client.wait_for(f"test -b {DISK}")
    number = next(path[0] for path in listed(client) if path[3])
    hold.arm(server)
    writer = client.start(hold.write(DISK, "D"))
    hold.wait_held(server)
    removal = begin_removal(client, number)
    client.run(f"causeway detach {NAME} --force", timeout=60)
    removal.wait(timeout=2 * BOUND, check=False)
    client.fails("cat " + FILE, "No such file")
    assert writer.wait(check=False).rc
    hold.release(server)


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"causeway export add h --device {hold.make(server, store)} --allow any")
    events = causeway.watch(client)
    client.run(f"causeway attach {NAME} --path {ONE} --policy single")
    client.wait_for(f"test -b {DISK}")
    job = verified.start(client, DISK, f"{VERIFIED} --iodepth=16")
    refuse_wrong_paths(client)
    move_to_another_path(server, client, events)
    lose_the_path_with_io(client, events)
    remove_the_path_of_a_held_write(server, client, events, store)
    lose_the_other_path_during_a_removal(server, client, events, store)
    paths.passes(job)
    session = causeway.connection(client)
    assert session["state"] == "live" and session["reconnects"] == 0, session
    client.run(f"causeway detach {NAME}")
    remove_under_batches(client, events)
    detach_during_a_removal(server, client, events)
    server.run("causeway export remove h --force")
    hold.remove(server)
