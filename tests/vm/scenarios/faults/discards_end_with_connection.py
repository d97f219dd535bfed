# SPDX-License-Identifier: GPL-2.0-or-later
"""Discards whose connection is lost end at once: those that wait do not begin, and those that run
do not go on with the next range. None is left when the server admits the next client."""
import re

from using.resources import NO_DISK_CONNECTIONS, RESOURCES
from machine.topology import Disk, pair
from using import causeway

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"),)})
TIER = "long"
LONG_KERNELS = ("kasan",)

BLOCK, RANGES = 4096, 4
COMMANDS = 512          # Linux runs at most 256 works of a queue at once, and fewer when new threads take long
SIZE = COMMANDS * RANGES * BLOCK
WIPES = 64              # discards of memory, each of which writes 256 MiB of zeroes; many more would leave no time for other tasks
TRACING = "/sys/kernel/tracing"
EVENTS = ("causeway/cw_link_killed", "causeway_target/cwt_command_submitted", "causeway_target/cwt_command_done")
OF_A_LINK = r"([\d.]+): cw_link_killed: server kind 2 index (\d+) "
OF_A_DISCARD = r"([\d.]+): cwt_command_{}: m link (\d+) slot (\d+) discard .* status (\d+)"
OK = 0                  # the status of a success
# The first counts the tasks of the server that run a discard. The second succeeds if all links are
# dead: then discards that have not begun end at once.
UNDER_WAY = "cat /proc/[0-9]*/stack 2>/dev/null | grep -c cwt_command_slow"
DEAD = "causeway --json net | grep -q '\"state\": *\"closing\"' && ! rdma resource show qp | grep -q ' type RC .*state RTS'"
FILL = "head -c {} /dev/zero | tr '\\0' {} | dd of={} bs=1M iflag=fullblock oflag=direct conv=notrunc status=none"


def blocks(server, path):
    """Return the first byte of each block of the discards, "-" for zero."""
    out = server.run(f"dd if={path} bs=1M count={SIZE >> 20} iflag=direct status=none | tr '\\0' - | fold -b -w {BLOCK} | cut -b 1 | "
                     "tr -d '\\n'").out
    assert len(out) == COMMANDS * RANGES, len(out)
    return out


def under_way(server):
    return int(server.run(UNDER_WAY, check=False).out)


def received(count):
    """Return a condition for wait_for: the server has received that many discards, and some of them
    have begun."""
    return f"causeway stat | grep -qE '^ *discards +{count}$' && [ $({UNDER_WAY}) -ge 2 ]"


def overwrite(rig, name, path):
    """The server admits the next client when no command of the last one is left: the next client's
    writes stay. The last client never sends GOODBYE, so its host has to be evicted."""
    exports = causeway.exports(rig.server)
    for owner in next(each["owners"] for each in exports if each["name"] == name):
        rig.server.run(f"causeway export evict {name} --host {owner['host']}")
    rig.client.run(f"causeway attach --no-persist 10.0.0.1/{name}", timeout=30)
    connections = causeway.connections(rig.server)
    assert len(connections) == 1, connections
    rig.client.run(FILL.format(SIZE, "n", f"/dev/causeway/10.0.0.1/{name}"))
    assert under_way(rig.server) == 0
    rig.client.run(f"causeway detach 10.0.0.1/{name}")
    rig.server.run(f"causeway export remove {name}")
    assert blocks(rig.server, path) == "n" * COMMANDS * RANGES


def judge(rig, name, path, hang, resume, done):
    """The connection ends while discards run and the disk hangs. Check that the commands that had
    begun change their blocks as "done" says, and all others change nothing."""
    server, client = rig.server, rig.client
    server.run(FILL.format(SIZE, "o", path))
    server.run(f"udevadm settle && {hang}")
    crowd = client.start(f"causeway-peer 10.0.0.1 {name} discards {COMMANDS}", has_input=True)
    crowd.wait_for(f"asked for {COMMANDS} discards")
    server.wait_for(received(COMMANDS))
    crowd.end_input()
    crowd.wait()
    server.wait_for(DEAD)
    begun = under_way(server)
    # The disk holds the discards, which hold the connection.
    assert begun and server.run(NO_DISK_CONNECTIONS, check=False).rc != 0, begun
    server.run(resume)
    server.wait_for(NO_DISK_CONNECTIONS, timeout=20)
    found = blocks(server, path)
    commands = [found[at:at + RANGES] for at in range(0, len(found), RANGES)]
    changed = [each for each in commands if each != "o" * RANGES]
    rig.say(f"{name}: of {COMMANDS} discards {begun} had begun")
    assert changed == [done] * begun, (begun, changed)


def of_a_file(rig):
    """A frozen file system lets no discard begin: each one that runs zeroes its current range and
    no other."""
    server = rig.server
    path = "/srv/d/disk.img"
    server.run(f"mkfs.ext4 -qF {server.disk('store')} && mkdir -p /srv/d && mount {server.disk('store')} /srv/d && "
               f"fallocate -l {SIZE} {path}")
    server.run(f"causeway export add f --file {path} --exclusive --allow any")
    judge(rig, "f", path, "fsfreeze -f /srv/d", "fsfreeze -u /srv/d", "-" + "o" * (RANGES - 1))
    overwrite(rig, "f", path)
    server.run("umount /srv/d")


def of_a_device(rig):
    """A device gets all ranges of a discard at once: discards that run zero all of their ranges,
    and no other discard begins."""
    server = rig.server
    path = "/dev/mapper/d"
    server.run(f"modprobe dm_mod; dmsetup create d --table \"0 $(blockdev --getsz {server.disk('store')}) linear {server.disk('store')} 0\"")
    server.run(f"causeway export add d --device {path} --exclusive --allow any")
    judge(rig, "d", path, "dmsetup suspend --noflush d", "dmsetup resume d", "-" * RANGES)
    overwrite(rig, "d", path)
    server.run("udevadm settle && dmsetup remove --retry d")


def times_of(pattern, trace):
    """Return the time of each trace event that matches the pattern, in seconds since the boot, by
    the numbers in the event."""
    return {tuple(int(number) for number in numbers): float(at) for at, *numbers in re.findall(pattern, trace)}


def of_memory(rig):
    """Discards of memory do not wait: each one checks its link again and again while it writes
    zeroes."""
    server, client = rig.server, rig.client
    server.run(f"{{ mountpoint -q {TRACING} || mount -t tracefs tracefs {TRACING}; }} && echo >{TRACING}/trace && "
               + " && ".join(f"echo 1 >{TRACING}/events/{event}/enable" for event in EVENTS))
    server.run("causeway export add m --ram 64M --exclusive --allow any")
    # This program runs already, because a new shell would start too late beside so many writers.
    events = server.start(f"cat {TRACING}/trace_pipe")
    crowd = client.start(f"causeway-peer 10.0.0.1 m wipes {WIPES}", has_input=True)
    events.wait_for("cwt_command_submitted: m ")
    crowd.end_input()
    crowd.wait()
    server.wait_for(NO_DISK_CONNECTIONS, timeout=20)
    assert under_way(server) == 0
    server.run(f"echo 0 >{TRACING}/events/enable && echo all was said >{TRACING}/trace_marker")
    events.wait_for("all was said")
    trace = events.out
    events.kill()
    died = {link: at for (link,), at in times_of(OF_A_LINK, trace).items()}
    begun = {(link, slot) for (link, slot, _), at in times_of(OF_A_DISCARD.format("submitted"), trace).items() if at < died[link]}
    done = {(link, slot): (at, status) for (link, slot, status), at in times_of(OF_A_DISCARD.format("done"), trace).items()}
    cut = {key for key in begun if done[key][0] > died[key[0]]}
    rig.say(f"m: of {WIPES} discards {len(begun)} had begun, and {len(cut)} were under way")
    assert cut and all(done[key][1] != OK for key in cut), (len(begun), [done[key] for key in cut])
    server.run("causeway export remove m")


def scenario(rig):
    server = rig.server
    # The first export makes the listener, which stays.
    server.run("causeway export add first --ram 1M --allow any && causeway export remove first")
    before = server.run(RESOURCES).out.strip()
    of_a_file(rig)
    of_a_device(rig)
    of_memory(rig)
    server.wait_for(f"[ \"$({RESOURCES})\" = '{before}' ]", timeout=30)
