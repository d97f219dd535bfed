# SPDX-License-Identifier: GPL-2.0-or-later
"""A write-through export keeps every acknowledged write over the server's power cut, and the writer
goes on."""
from machine.topology import Disk, pair
from using import causeway, verified

TOPOLOGY = pair(server={"disks": (Disk("store", "256M"),), "keep": ("/etc/causeway", "/var/lib/causeway")})
TIER = "ci"
DIRTY = True

DISK = "/dev/causeway/10.0.0.1/f"


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"mkfs.ext4 -q {store} && mkdir -p /srv/store && mount {store} /srv/store && "
               "fallocate -l 64M /srv/store/disk.img && sync", timeout=60)
    server.run("causeway export add f --file /srv/store/disk.img --write-through --allow any")
    client.run("causeway attach 10.0.0.1/f")
    assert client.run("cat /sys/block/$(basename $(readlink -f %s))/queue/write_cache" % DISK).out.strip() == "write through"
    events = causeway.watch(client)
    # Each block is written once, so fio verifies acknowledged writes at the end.
    fio = verified.start(client, DISK, "--rw=randwrite --bs=4k --iodepth=8 --size=16M")
    server.power_cut()
    events.wait_for("down", timeout=60)
    server.boot()
    server.run(f"mkdir -p /srv/store && mount {store} /srv/store && causeway restore", timeout=60)
    events.wait_for("live over", timeout=120)
    verified.passes(fio)
    client.run(f"blockdev --flushbufs {DISK} && dd if=/dev/zero of={DISK} bs=4k count=1 oflag=direct conv=fsync")
