# SPDX-License-Identifier: GPL-2.0-or-later
"""I/O that reaches a limit waits. It fails only if the server grants fewer queues than before. The
limits are the depth, the number of queues, the large commands of a link, and the time of a
command."""
import re

from machine.needs import module
from using import causeway, tracing

TIER = "long"
REQUIRES = (module("brd"),)
LEAVES = ("export",)

DISK, SLOW = "/dev/causeway/10.0.0.1/m", "/dev/causeway/10.0.0.1/slow"
PARAMETERS = "/sys/module/causeway/parameters"
DEPTH, WRITES = 4, 32
TRANSFERS = 32          # large commands that a server runs at once on one link
LARGE = 32768           # bytes, more than travels inline
COMMAND = 30            # s that a read or write may take


def make_slow_disk(server):
    server.run("modprobe dm_mod; modprobe brd rd_nr=1 rd_size=32768 && dmsetup create slow --table '0 65536 linear /dev/ram0 0' && "
               "causeway export add slow --device /dev/mapper/slow --allow any")


def more_commands_than_the_depth(server, client):
    """The server gets as many commands as it granted and no more; the others wait at the client."""
    server.run(f"echo {DEPTH} >{PARAMETERS}/max_depth")
    client.run("causeway attach 10.0.0.1/slow && udevadm settle")
    assert causeway.attachment(client)["depth"] == DEPTH, causeway.attachment(client)
    server.run("udevadm settle; dmsetup suspend slow")
    # fio opens the disk twice. udev would read the disk in between, but leaves a locked disk alone.
    fio = client.start(f"flock {SLOW} fio --name=deep --filename={SLOW} --direct=1 --ioengine=libaio --rw=randwrite --bs=4k --iodepth={WRITES} "
                       f"--number_ios={WRITES} --minimal >/dev/null")
    server.wait_for(f"causeway stat | grep -qE '^ *writes +{DEPTH}$'")
    disk = causeway.attachment(client)["disk"]
    client.wait_for(f"[ $(tr -s ' ' '\\n' </sys/block/{disk}/inflight | tail -n 1) = {DEPTH} ]")
    server.run("dmsetup resume slow")
    fio.wait(timeout=60)
    client.run("udevadm settle")
    assert causeway.answer(server, "stat")["stats"][0]["counters"]["writes"] == WRITES
    server.run(f"echo 128 >{PARAMETERS}/max_depth")
    client.run("causeway detach 10.0.0.1/slow")


def fewer_queues_than_before(server, client, events):
    """A block device keeps its number of queues. Its I/O fails until the server grants that number
    again."""
    client.run("causeway attach 10.0.0.1/m --queues 2 && udevadm settle")
    assert causeway.connection(client)["queues"] == 2, causeway.connection(client)
    server.run(f"echo 1 >{PARAMETERS}/max_queues")
    client.link_down()
    events.wait_for("down", timeout=60)
    writer = client.start(f"dd if=/dev/urandom of={DISK} bs=4k count=1 oflag=direct")
    client.link_up()
    events.wait_for("the server grants less than before \\(1 queues of 128, were 2 of 128\\)", timeout=90)
    assert writer.wait(timeout=30, check=False).rc != 0 and "Input/output error" in writer.out, writer.out
    assert causeway.connection(client)["state"] == "refused" and causeway.connection(client)["queues"] != 1, causeway.connection(client)
    server.run(f"echo 64 >{PARAMETERS}/max_queues")
    events.wait_for("live over", timeout=60)
    client.run(f"dd if=/dev/urandom of={DISK} bs=4k count=1 oflag=direct")
    assert causeway.connection(client)["queues"] == 2, causeway.connection(client)
    client.run("causeway detach 10.0.0.1/m")


def slots(events, name):
    """Return the slots of the large commands that had this event."""
    return [int(re.search(r" slot (\d+) ", event.text).group(1)) for event in events
            if event.name == name and "slow link 0 " in event.text and f" len {LARGE} " in event.text]


def more_large_commands_than_a_link_runs(server, client):
    """Commands beyond the limit wait at the server until another one ends. A suspended disk keeps
    those that run from ending, so that all others have to wait. Return their number."""
    commands = 2 * TRANSFERS
    client.run("causeway attach 10.0.0.1/slow --queues 1 && udevadm settle")
    # Each write of fio is one command.
    client.run(f"echo 2 >/sys/block/{causeway.attachment(client)['disk']}/queue/nomerges")
    server.run("udevadm settle; dmsetup suspend slow")
    tracing.start(server, *(f"causeway_target/cwt_command_{event}" for event in ("parked", "submitted")))
    fio = f"flock {SLOW} fio --name=large --filename={SLOW} --direct=1 --ioengine=libaio --bs={LARGE} --size={commands * LARGE} --verify=crc32c --minimal "
    writer = client.start(f"{fio} --rw=write --iodepth={commands} --iodepth_batch_submit={commands} --do_verify=0 >/dev/null")
    # A command that waits is tried again, and parked again, after each event of its link.
    server.wait_for(f"[ $(grep -oE 'cwt_command_(parked|submitted): slow link 0 slot [0-9]+ .* len {LARGE} ' {tracing.FOLDER}/trace | "
                    f"grep -o ' slot [0-9]* ' | sort -u | wc -l) = {commands} ]")
    events = tracing.recorded(server)
    running, waiting = slots(events, "cwt_command_submitted"), slots(events, "cwt_command_parked")
    assert len(running) == len(set(running)) == TRANSFERS and not set(running) & set(waiting), (running, waiting)
    server.run("dmsetup resume slow")
    writer.wait(timeout=120)
    client.run(f"{fio} --rw=read --iodepth={commands} --verify_only >/dev/null", timeout=120)
    assert causeway.connection(client)["reconnects"] == 0, causeway.connection(client)
    client.run("causeway detach 10.0.0.1/slow")
    return len(set(waiting))


def a_command_that_takes_longer_than_its_time(server, client, events):
    """The client connects again, and sends the command again when the server's disk has ended
    it."""
    client.run("causeway attach 10.0.0.1/slow && udevadm settle; dmesg -C")
    server.run("udevadm settle; dmsetup suspend slow")
    client.run("head -c 4096 /dev/urandom >/tmp/page; echo causeway-test sent >/dev/kmsg")
    writer = client.start(f"dd if=/tmp/page of={SLOW} bs=4k seek=7 oflag=direct conv=notrunc")
    events.wait_for("a command had no answer in time", timeout=60)
    said = client.run("dmesg").out
    sent, lost = (float(re.search(rf"\[ *([\d.]+)\] {what}", said).group(1)) for what in
                  ("causeway-test sent", "causeway: 10.0.0.1/slow: connection lost: a command had no answer in time"))
    # The server waits for its disk before it lets the client in again.
    client.wait_for("causeway --json net | grep -q 'the server waits until 1 earlier command has ended'", timeout=60)
    assert writer.running
    server.run("dmsetup resume slow")
    events.wait_for("live over", timeout=60)
    writer.wait(timeout=30)
    client.run(f"dd if={SLOW} bs=4k skip=7 count=1 iflag=direct | cmp - /tmp/page")
    assert causeway.connection(client)["reconnects"] == 1, causeway.connection(client)
    client.run("causeway detach 10.0.0.1/slow")
    return lost - sent


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 32M --allow any")
    make_slow_disk(server)
    client.run("modprobe causeway_disk")
    events = causeway.watch(client)
    more_commands_than_the_depth(server, client)
    fewer_queues_than_before(server, client, events)
    parked = more_large_commands_than_a_link_runs(server, client)
    took = a_command_that_takes_longer_than_its_time(server, client, events)
    rig.say(f"     large commands that waited at the server: {parked}; a command was given up after {took:.1f} s")
    assert parked == TRANSFERS, parked
    # blk-mq checks the time of requests in steps.
    assert rig.kernel_name != "stock" or COMMAND - 0.1 <= took < COMMAND + 8, took
    server.run("causeway stop --force && dmsetup remove slow && modprobe -r brd")
