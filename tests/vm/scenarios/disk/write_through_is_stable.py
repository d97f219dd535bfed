# SPDX-License-Identifier: GPL-2.0-or-later
"""The clients of a write-through export see a disk without a cache. Each of their writes is stable
at the backend before the server answers it."""
from machine.needs import module
from using import write_log
from machine.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "1G"),)})
TIER = "ci"
REQUIRES = (module("dm_log_writes"),)

LINK = "/dev/causeway/10.0.0.1/"
DATA, LOG = "/dev/mapper/data", "/dev/mapper/log"
LOG_AT = 524288              # sector of the disk "store"


def flushes(server, device):
    """Return the number of flushes that a disk has done, from its stat file."""
    return int(server.run(f"cat /sys/block/{device.rpartition('/')[2]}/stat").out.split()[15])


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"modprobe dm_mod; dmsetup create data --table '0 131072 linear {store} 0' && "
               f"dmsetup create log --table '0 524288 linear {store} {LOG_AT}' && "
               f"dmsetup create files --table '0 524288 linear {store} 1048576' && "
               "mkfs.ext4 -qF /dev/mapper/files && mkdir -p /srv/files && mount /dev/mapper/files /srv/files && "
               "dd if=/dev/zero of=/srv/files/disk.img bs=1M count=32 oflag=direct conv=fsync")
    device = write_log.start(server, "logged", DATA, LOG)
    server.run(f"causeway export add device --device {device} --write-through --allow any")
    server.run("causeway export add file --file /srv/files/disk.img --write-through --allow any")
    for name in ("device", "file"):
        client.run(f"causeway attach 10.0.0.1/{name}")
        cache = client.run(f"cat /sys/block/$(basename $(readlink -f {LINK}{name}))/queue/write_cache").out.strip()
        assert cache == "write through", (name, cache)

    write_log.mark(server, "logged", "writes")
    client.run(f"dd if=/dev/urandom of={LINK}device bs=4k count=8 oflag=direct conv=notrunc")
    client.run(f"dd if=/dev/urandom of={LINK}device bs=256k count=2 seek=4 oflag=direct conv=notrunc")
    write_log.mark(server, "logged", "zeroes")
    client.run(f"blkdiscard -z -o 1M -l 64k {LINK}device")

    before = flushes(server, store)
    client.run(f"dd if=/dev/urandom of={LINK}file bs=4k count=8 oflag=direct conv=notrunc")
    assert flushes(server, store) - before >= 8, (before, flushes(server, store))
    before = flushes(server, store)
    client.run(f"blkdiscard -z -o 1M -l 64k {LINK}file")
    assert flushes(server, store) > before, before

    for name in ("device", "file"):
        client.run(f"causeway detach 10.0.0.1/{name}")
        server.run(f"causeway export remove {name}")
    log = write_log.sections(write_log.finish(server, "logged", "store", LOG_AT))
    data = [entry for entry in log["writes"] if entry.sectors]
    assert sum(entry.sectors for entry in data) == 8 * 8 + 2 * 512 and all(entry.fua for entry in data), data
    assert log["zeroes"][-1].flush or all(entry.fua for entry in log["zeroes"]), log["zeroes"]
    server.run("umount /srv/files && dmsetup remove data log files")
