# SPDX-License-Identifier: GPL-2.0-or-later
"""The server's disks lose unflushed data in a power cut. The cut loses no write that a flush
covered, of a file or of a device. A flush that was in progress is reported as a loss. After an
orderly stop nothing is missing."""
from machine.needs import module
from using import causeway, write_log
from machine.topology import Disk, pair

TIER = "long"

TOPOLOGY = pair(server={"disks": (Disk("store", "1G"),), "keep": ("/etc/causeway", "/var/lib/causeway")})
DIRTY = True
REQUIRES = (module("dm_log_writes"),)

# name: first sector of its data, number of sectors, first sector of its log
PARTS = {"file": (0, 131072, 262144), "device": (524288, 32768, 655360)}
LOG_SIZE = 131072
DISKS = {name: f"/dev/causeway/10.0.0.1/{name}" for name in PARTS}


def start(server):
    """Make both disks, each with a new log."""
    store = server.disk("store")
    server.run("modprobe dm_mod")
    for name, (data, size, log) in PARTS.items():
        server.run(f"dmsetup create {name}-data --table '0 {size} linear {store} {data}' && "
                   f"dmsetup create {name}-log --table '0 {LOG_SIZE} linear {store} {log}'")
        write_log.start(server, f"{name}-logged", f"/dev/mapper/{name}-data", f"/dev/mapper/{name}-log")


def mount(server):
    """Mount without the flushes that the file system makes by itself every five seconds."""
    server.run("mkdir -p /srv/store && mount -o commit=300 /dev/mapper/file-logged /srv/store")


def settle(server):
    for name, (_, _, log) in PARTS.items():
        write_log.settle(server, f"{name}-logged", "store", log)


def cut(server, before=None):
    """Cut the power, and with it the content of the disks' caches; return the content of each
    disk."""
    server.power_cut()
    return {name: write_log.forget(server, "store", data, size, log, before and before[name])
            for name, (data, size, log) in PARTS.items()}


def fill(name, letter, block, flush):
    return write_log.fill(DISKS[name], letter, block, flush)


def content(client, name, block):
    return write_log.content(client, DISKS[name], block)


def flush_under_way(server, client, name):
    """Start a flush that the disk of the server does not answer; return its Job."""
    server.run(f"dmsetup suspend --noflush --nolockfs {name}-logged")
    before = int(server.run("causeway stat | awk '$1 == \"flushes\" {n += $2} END {print n + 0}'").out)
    flush = client.start(f"dd if=/dev/zero of={DISKS[name]} count=0 conv=fsync,notrunc status=none")
    server.wait_for(f"causeway stat | awk '$1 == \"flushes\" {{n += $2}} END {{exit !(n > {before})}}'")
    return flush


def scenario(rig):
    server, client = rig.server, rig.client
    start(server)
    server.run("mkfs.ext4 -qF /dev/mapper/file-logged")
    mount(server)
    server.run("head -c 16M /dev/zero >/srv/store/disk.img && sync -f /srv/store && "
               "causeway export add file --file /srv/store/disk.img --allow any && "
               "causeway export add device --device /dev/mapper/device-logged --allow any")
    client.run("causeway attach 10.0.0.1/file && causeway attach 10.0.0.1/device")
    events = causeway.watch(client)

    for name in PARTS:
        client.run(fill(name, "A", block=1, flush=True))
    client.run(fill("device", "B", block=2, flush=False))
    settle(server)
    flush = flush_under_way(server, client, "device")
    left = cut(server)
    events.wait_for("down", timeout=60)
    server.boot()
    start(server)
    mount(server)
    server.run("causeway restore", timeout=60)
    events.wait_for("lost acknowledged writes", timeout=120)
    assert flush.wait(timeout=90, check=False).rc != 0
    client.wait_for("[ $(causeway --json list | grep -c '\"state\": *\"live\"') = 2 ]", timeout=120)
    assert [content(client, name, 1) for name in PARTS] == ["A", "A"]
    # The disk did lose unflushed data: otherwise this scenario would prove nothing.
    assert content(client, "device", 2) == ""
    client.run("causeway acknowledge 10.0.0.1/device")

    # An orderly stop flushes acknowledged writes before it notifies the clients of the flush.
    for name in PARTS:
        client.run(fill(name, "C", block=3, flush=False))
    server.run("causeway stop --force")
    settle(server)
    cut(server, before=left)
    server.boot()
    start(server)
    mount(server)
    server.run("causeway restore", timeout=60)
    client.wait_for("[ $(causeway --json list | grep -c '\"state\": *\"live\"') = 2 ]", timeout=120)
    for name in PARTS:
        assert content(client, name, 3) == "C", name
        client.run(fill(name, "D", block=4, flush=True))
        assert content(client, name, 4) == "D"
