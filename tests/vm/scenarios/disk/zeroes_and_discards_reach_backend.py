# SPDX-License-Identifier: GPL-2.0-or-later
"""Written zeroes read back as zeroes, change nothing beside them, and stay allocated if the client
requests that. A discard and a hole free the backend's space."""

from machine.topology import Disk, pair
from using import causeway

TOPOLOGY = pair(server={"disks": (Disk("store", "1G"),)})
TIER = "check"
LEAVES = ("export",)

KIB = 1024
TREE = 64           # sectors that the file system may need for its list of a file's extents


def counters(client, name):
    stats = causeway.answer(client, f"stat 10.0.0.1/{name}")["stats"]
    return next(each for each in stats if each["role"] == "client")["counters"]


def differs(client, disk):
    """Compare the disk, past the page cache, with its expected content."""
    client.run(f"cmp /tmp/wanted <(dd if={disk} bs=1M count=8 iflag=direct status=none)")


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"modprobe dm_mod; dmsetup create data --table '0 131072 linear {store} 0' && "
               f"dmsetup create files --table '0 524288 linear {store} 1048576' && "
               "mkfs.ext4 -qF /dev/mapper/files && mkdir -p /srv/files && mount /dev/mapper/files /srv/files && "
               "fallocate -l 32M /srv/files/disk.img")
    server.run("causeway export add device --device /dev/mapper/data --allow any")
    server.run("causeway export add file --file /srv/files/disk.img --allow any")
    server.run("causeway export add ram --ram 32M --allow any")

    # The measure of a discard at the backend: blocks of the file, discards of the device.
    held = {
        "device": lambda: -int(server.run(f"cat /sys/block/{store[5:]}/stat").out.split()[11]),
        "file": lambda: int(server.run("stat -c %b /srv/files/disk.img").out),
    }
    for name in ("device", "file", "ram"):
        client.run(f"causeway attach 10.0.0.1/{name}")
        disk = f"/dev/causeway/10.0.0.1/{name}"
        block = int(client.run(f"blockdev --getss {disk}").out)
        client.run(f"dd if=/dev/urandom of=/tmp/wanted bs=1M count=8 status=none && "
                   f"dd if=/tmp/wanted of={disk} bs=1M oflag=direct conv=fsync,notrunc")

        full = held[name]() if name in held else 0
        spans = ((1024 * KIB, 2048 * KIB, f"blkdiscard -z -o {{0}} -l {{1}} {disk}"),
                 (4096 * KIB + block, 3 * block, f"blkdiscard -z -o {{0}} -l {{1}} {disk}"),
                 (5120 * KIB, 64 * KIB, f"fallocate -z -o {{0}} -l {{1}} {disk}"))
        for start, length, command in spans:
            client.run(command.format(start, length))
            client.run(f"dd if=/dev/zero of=/tmp/wanted bs=512 seek={start // 512} count={length // 512} conv=notrunc")
            differs(client, disk)
        now = counters(client, name)
        assert now["write_zeroes"] >= len(spans) and now["discards"] == 0, now
        if name == "file":
            # Both commands request zeroes that keep their blocks. A hole does not keep them.
            assert full <= held[name]() < full + TREE, (full, held[name]())
            client.run(f"fallocate -p -o 7M -l 1M {disk} && dd if=/dev/zero of=/tmp/wanted bs=1M seek=7 count=1 conv=notrunc")
            differs(client, disk)
            hole = full - 1024 * KIB // 512
            assert hole <= held[name]() < hole + TREE, (full, held[name]())

        client.run(f"blkdiscard -o 6M -l 1M {disk}")
        assert counters(client, name)["discards"] >= 1, counters(client, name)
        if name in held:
            assert held[name]() < full, (name, full, held[name]())
        # A file's hole and freed memory read as zeroes, and so do discarded blocks of this device.
        client.run("dd if=/dev/zero of=/tmp/wanted bs=1M seek=6 count=1 conv=notrunc")
        differs(client, disk)
        client.run(f"causeway detach 10.0.0.1/{name}")
    server.run("causeway stop --force && umount /srv/files && dmsetup remove data files")
