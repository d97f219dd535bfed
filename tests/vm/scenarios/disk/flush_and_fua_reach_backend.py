# SPDX-License-Identifier: GPL-2.0-or-later
"""A flush of the client becomes a flush of the backend, after the writes that it covers. A FUA
write of the client becomes a FUA write of the backend."""
from machine.needs import module
from using import write_log
from machine.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "1G"),)})
TIER = "check"
REQUIRES = (module("dm_log_writes"),)

DISK = "/dev/causeway/10.0.0.1/d"
DATA, LOG = "/dev/mapper/data", "/dev/mapper/log"
LOG_AT = 524288              # sector of the disk "store"


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"modprobe dm_mod; dmsetup create data --table '0 131072 linear {store} 0' && "
               f"dmsetup create log --table '0 524288 linear {store} {LOG_AT}'")
    device = write_log.start(server, "logged", DATA, LOG)
    server.run(f"causeway export add d --device {device} --allow any")
    client.run("causeway attach 10.0.0.1/d")
    queue = "/sys/block/$(basename $(readlink -f " + DISK + "))/queue"
    assert client.run(f"cat {queue}/write_cache {queue}/fua").lines == ["write back", "1"]

    write_log.mark(server, "logged", "fsync")
    client.run(f"dd if=/dev/urandom of={DISK} bs=4k count=8 seek=100 oflag=direct conv=fsync,notrunc")
    client.run(f"dd if=/dev/urandom of={DISK} bs=256k count=2 seek=8 oflag=direct conv=fsync,notrunc")
    write_log.mark(server, "logged", "fua")
    client.run(f"dd if=/dev/urandom of={DISK} bs=4k count=4 seek=300 oflag=direct,dsync conv=notrunc")
    client.run(f"dd if=/dev/urandom of={DISK} bs=64k count=1 seek=64 oflag=direct,dsync conv=notrunc")
    write_log.mark(server, "logged", "journal")
    client.run(f"mkfs.ext4 -qF {DISK} && mount {DISK} /mnt && echo content >/mnt/file && sync -f /mnt && umount /mnt")
    client.run("causeway detach 10.0.0.1/d")
    server.run("causeway export remove d")
    log = write_log.sections(write_log.finish(server, "logged", "store", LOG_AT))

    written, flushes = set(), 0
    wanted = [set(range(800, 864, 8)), {4096, 4608}]
    for entry in log["fsync"]:
        assert not entry.fua, log["fsync"]
        if entry.flush:
            assert flushes < 2 and wanted[flushes] <= written, f"a flush without what it covers: {log['fsync']}"
            flushes += 1
        written |= set(range(entry.sector, entry.sector + entry.sectors, 8))
    assert flushes == 2, log["fsync"]

    data = [entry for entry in log["fua"] if entry.sectors]
    assert sum(entry.sectors for entry in data) == 4 * 8 + 128 and all(entry.fua for entry in data), log["fua"]

    assert any(entry.fua and entry.sectors for entry in log["journal"]), log["journal"]
    assert any(entry.flush for entry in log["journal"]), log["journal"]
    server.run("dmsetup remove data log")
