# SPDX-License-Identifier: GPL-2.0-or-later
"""The client sees the new size of an export that grew or shrank within seconds. Only I/O beyond the
end fails."""
import re

from machine.topology import Disk, pair
from using import causeway

TOPOLOGY = pair(server={"disks": (Disk("store", "1G"),)})
TIER = "long"
KERNELS = ("stock", "lockdep")
LEAVES = ("export",)

LINK = "/dev/causeway/10.0.0.1/"
MIB = 1 << 20


def size(client, name):
    return int(client.run(f"blockdev --getsize64 {LINK}{name}").out)


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"modprobe dm_mod; dmsetup create data --table '0 65536 linear {store} 0' && "
               f"dmsetup create files --table '0 524288 linear {store} 1048576' && "
               "mkfs.ext4 -qF /dev/mapper/files && mkdir -p /srv/files && mount /dev/mapper/files /srv/files && "
               "truncate -s 32M /srv/files/disk.img")
    server.run("causeway export add device --device /dev/mapper/data --allow any")
    server.run("causeway export add file --file /srv/files/disk.img --allow any")
    events = causeway.watch(client)
    for name in ("device", "file"):
        client.run(f"causeway attach 10.0.0.1/{name}")
        assert size(client, name) == 32 * MIB

    # The client's clock measures the time, which includes the time until the command reaches the
    # server.
    seen = client.start(f"began=$(date +%s%N); echo waiting; until [ $(blockdev --getsize64 {LINK}file) = {48 * MIB} ]; do "
                        "read -rt 0.05 <> <(:); done; echo $((($(date +%s%N) - began) / 1000000)) ms")
    seen.wait_for("waiting")
    server.run("truncate -s 48M /srv/files/disk.img")
    events.wait_for(f"resized 10.0.0.1/file.*{48 * MIB}")
    seen.wait(check=False)
    took = int(re.search(r"(\d+) ms", seen.out).group(1))
    print(f"the new size was there after {took} ms")
    # The server reads the size once a second.
    assert took < 4000 * client.agent.scale, took
    server.run(f"dmsetup reload data --table '0 98304 linear {store} 0' && dmsetup resume data")
    events.wait_for(f"resized 10.0.0.1/device.*{48 * MIB}")
    for name in ("device", "file"):
        assert size(client, name) == 48 * MIB
        client.run(f"dd if=/dev/urandom of={LINK}{name} bs=1M seek=40 count=8 oflag=direct conv=notrunc")

    # The export shrinks during writes to all of it: writes beyond the new end fail, other writes do
    # not.
    for name, cut in (("file", "truncate -s 24M /srv/files/disk.img"),
                      ("device", f"dmsetup reload data --table '0 49152 linear {store} 0' && dmsetup resume data")):
        fio = client.start(f"fio --name=cut --filename={LINK}{name} --direct=1 --ioengine=libaio --rw=randwrite --bs=4k "
                           "--iodepth=4 --size=48M --time_based --runtime=600 --status-interval=1 --fill_device=0")
        fio.wait_for("IOPS", timeout=60)
        server.run(cut)
        events.wait_for(f"resized 10.0.0.1/{name}.*{24 * MIB}")
        result = fio.wait(timeout=60, check=False)
        assert "error=" in result.out, result.out
        assert size(client, name) == 24 * MIB
        client.run(f"dd if=/dev/urandom of={LINK}{name} bs=1M seek=23 count=1 oflag=direct conv=notrunc")
        client.fails(f"dd if=/dev/zero of={LINK}{name} bs=1M seek=24 count=1 oflag=direct conv=notrunc", "No space|past")
    assert int(server.run("stat -c %s /srv/files/disk.img").out) == 24 * MIB

    # The cut overtakes a write on its way into the file: a frozen file system makes both wait, the
    # cut first.
    server.run("truncate -s 48M /srv/files/disk.img")
    client.wait_for(f"[ $(blockdev --getsize64 {LINK}file) = {48 * MIB} ]")
    waiting = "[ $(grep -l percpu_rwsem_wait /proc/[0-9]*/wchan | wc -l) = {} ]"
    server.run("fsfreeze -f /srv/files")
    cut = server.start("truncate -cs 24M /srv/files/disk.img")
    server.wait_for(waiting.format(1))
    late = client.start(f"dd if=/dev/urandom of={LINK}file bs=4k count=1 seek=10240 oflag=direct conv=notrunc")
    server.wait_for(waiting.format(2))
    server.run("fsfreeze -u /srv/files")
    cut.wait()
    late.wait(check=False)      # fails if the cut came first, as on most machines
    assert int(server.run("stat -c %s /srv/files/disk.img").out) == 24 * MIB
    client.wait_for(f"[ $(blockdev --getsize64 {LINK}file) = {24 * MIB} ]")

    for each in causeway.connections(client):
        assert each["state"] == "live" and each["reconnects"] == 0, each
    for name in ("device", "file"):
        client.run(f"causeway detach 10.0.0.1/{name}")
    server.run("causeway stop --force && umount /srv/files && dmsetup remove data files")
