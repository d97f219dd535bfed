# SPDX-License-Identifier: GPL-2.0-or-later
"""I/O of dm-multipath fails --fast-fail seconds after the last path was lost, whether it was sent
before or after the loss. It does not fail earlier or much later. dm-multipath then fails the I/O
that it got, or holds it with queue_if_no_path. Other I/O of the same disk waits for the path. With
--fast-fail off, all I/O waits."""
import re

from machine.needs import module
from using import causeway

TIER = "long"
KERNELS = ("stock",)
REQUIRES = (module("dm_multipath"),)
LEAVES = ("export",)

AT = "/dev/causeway/10.0.0.1/"
LOST = r"\[ *([\d.]+)\] causeway: 10.0.0.1/{}: connection lost"
FAILED = r"\[ *([\d.]+)\] .*transport error, dev (?:{}),"
UNSENT = 3072       # the block of 4 KiB that is read while the path is down; fio reads below block 2048


def multipath(client, name, called=None, features="0"):
    """Make a multipath device with one path, which it gives up after an error; return its name."""
    called = called or name
    client.run(f"dmsetup create mp-{called} --table "
               f"\"0 $(blockdev --getsz {AT}{name}) multipath {features} 0 1 1 round-robin 0 1 1 {AT}{name} 1\"")
    client.run("udevadm settle")
    return f"/dev/mapper/mp-{called}"


def when(client, pattern):
    """Return the kernel's time of the first message that matches the pattern."""
    found = re.search(pattern, client.run("dmesg").out)
    assert found, (pattern, client.run("dmesg | tail -30").out)
    return float(found.group(1))


def scenario(rig):
    server, client = rig.server, rig.client
    client.run("modprobe -a dm_multipath dm_round_robin")
    options = {"one": "", "ten": "--fast-fail 10", "off": "--fast-fail off", "zero": "--fast-fail 0"}
    nodes = {}
    mapped = {}
    for name, option in options.items():
        server.run(f"causeway export add {name} --ram 16M --allow any")
        client.run(f"causeway attach 10.0.0.1/{name} --queues 1 {option}")
        nodes[name] = client.run(f"basename $(readlink -f {AT}{name})").out.strip()
    told = {each["name"]: each["fast_fail"] for each in causeway.attachments(client)}
    assert told == {"one": 1, "ten": 10, "off": None, "zero": 0}, told
    paths = {}
    for name in options:
        paths[name] = multipath(client, name)
        mapped[name] = client.run(f"basename $(readlink -f {paths[name]})").out.strip()
    late = multipath(client, "one", "late")
    holding = multipath(client, "one", "holding", "1 queue_if_no_path")
    events = causeway.watch(client)
    # Each of these has a request in progress when the client gives the path up: the server is silent
    # for some seconds before that.
    kinds = {"one": "read", "ten": "read", "zero": "write"}
    fast = {name: client.start(f"fio --name={name} --filename={paths[name]} --rw=rand{kind} --direct=1 --bs=4k --size=8M "
                               "--thinktime=100ms --time_based --runtime=1h --eta=never --status-interval=1s") for name, kind in kinds.items()}
    for name, kind in kinds.items():
        fast[name].wait_for(f"{kind}: ")
    # This read comes when the path is known to be lost, and is never sent. The log has the begin
    # and the end of its wait.
    unsent = client.start(f"read -r go; echo unsent >/dev/kmsg; exec dd if={paths['ten']} of=/dev/null bs=4k skip={UNSENT} count=1 "
                          "iflag=direct status=none", has_input=True)
    client.run("dmesg -C")
    client.link_down()

    def read(device, flags="iflag=direct"):
        return client.start(f"dd if={device} of=/dev/null bs=4k count=1 {flags} status=none")

    off = read(paths["off"])
    held = read(holding)
    plain = {name: read(AT + name) for name in options}
    buffered = read(AT + "one", "skip=1000")      # reads ahead, which fails fast; the read itself waits
    events.wait_for("down 10.0.0.1/ten", timeout=60)
    unsent.send("go\n")
    result = unsent.wait(timeout=60, check=False)
    lost = when(client, LOST.format("ten"))
    began = when(client, r"\[ *([\d.]+)\] unsent") - lost
    assert 0 < began < 9, f"the rig took {began:.3f} s to start a read: nothing is shown"
    assert result.rc != 0 and "Link has been severed" in result.out, result.out
    ended = when(client, FAILED.format(mapped["ten"]) + f" sector {8 * UNSENT} ") - lost
    print(f"ten: a read that came {began:.3f} s after the loss failed after {ended:.3f} s")
    # A jiffy is 4 ms, and the time begins after the message.
    assert 10 - 0.01 <= ended < 10 + 2, ended
    # The events of the other disks may have come before that of "ten".
    for name in options:
        client.wait_for(f"dmesg | grep -q '10.0.0.1/{name}: connection lost'")
    for name, least in (("one", 1), ("ten", 10), ("zero", 0)):
        result = fast[name].wait(timeout=60, check=False)
        # dm-multipath passes on the error of its last path.
        assert result.rc != 0 and "Link has been severed" in result.out, result.out
        took = when(client, FAILED.format(mapped[name]) + f"(?! sector {8 * UNSENT} )") - when(client, LOST.format(name))
        print(f"{name}: failed fast after {took:.3f} s")
        assert least - 0.01 <= took < least + 2, (name, took)
    # I/O that comes later fails at once. dm-multipath has no path after the first error, and fails
    # I/O by itself.
    for error in ("Link has been severed", "Input/output error"):
        client.fails(f"dd if={late} of=/dev/null bs=4k count=1 iflag=direct", error, timeout=10)
    client.wait_for("dmsetup status mp-holding | grep -q ' F '")
    waiting = (*plain.values(), buffered, off, held)
    for job in waiting:
        assert job.running
    client.link_up()
    for _ in options:
        events.wait_for("live over", timeout=90)
    # multipathd does this when its path checker sees the path again.
    client.run(f"dmsetup message mp-holding 0 reinstate_path $(lsblk -dno MAJ:MIN {AT}one)")
    for job in waiting:
        job.wait(timeout=30)
    assert not re.search(FAILED.format(f"{nodes['off']}|{mapped['off']}"), client.run("dmesg").out)
    client.run("udevadm settle; dmsetup remove_all")
    for name in options:
        client.run(f"dd if=/dev/urandom of={AT}{name} bs=64k count=16 oflag=direct conv=notrunc status=none")
    client.run("udevadm settle; causeway detach --all")
