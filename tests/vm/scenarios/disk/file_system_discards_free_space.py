# SPDX-License-Identifier: GPL-2.0-or-later
"""A discard of xfs or ext4 at the client, with many ranges in one command, frees those ranges at
the server and nothing else. Zeroes that must stay allocated stay allocated, even if the server's
file system can only write them."""
import re

from machine.topology import Disk, pair
from using import causeway

TOPOLOGY = pair(server={"disks": (Disk("store", "1G"),)})
TIER = "long"
LEAVES = ("export",)

AT = "/dev/causeway/10.0.0.1/"
SECTOR, MIB = 512, 1 << 20
FILES, SIZE = 24, 512 << 10


def discards(client, name):
    stats = causeway.answer(client, f"stat 10.0.0.1/{name}")["stats"]
    return next(each for each in stats if each["role"] == "client")["counters"]["discards"]


def allocated(server, path):
    return SECTOR * int(server.run(f"sync -f {path}; stat -c %b {path}").out)


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"modprobe dm_mod; dmsetup create files --table '0 1048576 linear {store} 0' && "
               f"dmsetup create old --table '0 131072 linear {store} 1048576' && "
               "mkfs.ext4 -qF /dev/mapper/files && mkdir -p /srv/files /srv/old && mount /dev/mapper/files /srv/files && "
               "mkfs.ext4 -qF -O ^extents,^64bit,^flex_bg /dev/mapper/old && mount /dev/mapper/old /srv/old")
    for kind, size in (("xfs", "320M"), ("ext4", "64M")):
        path = f"/srv/files/{kind}.img"
        server.run(f"truncate -s {size} {path} && causeway export add {kind} --file {path} --allow any")
        client.run(f"causeway attach 10.0.0.1/{kind} && mkdir -p /mnt/{kind}")
    xfs(server, client)
    ext4(server, client)
    zeroes(server, client)
    client.run("causeway detach --all")
    server.run("causeway stop --force && umount /srv/files /srv/old && dmsetup remove files old")


def make(client, place):
    """Make files, of which the caller removes every other one, so that the freed pieces do not
    adjoin. Return the sums of the files that stay."""
    client.run(f"cd {place} && for ((i = 0; i < {FILES}; i++)); do dd if=/dev/urandom of=$i bs={SIZE} count=1 status=none || "
               "exit; done; sync -f .")
    return client.run(f"cd {place} && sha256sum $(seq 1 2 {FILES - 1})").out


def remain(client, place, sums):
    client.run("echo 3 >/proc/sys/vm/drop_caches")
    assert client.run(f"cd {place} && sha256sum $(seq 1 2 {FILES - 1})").out == sums


def xfs(server, client):
    """The log of xfs discards everything that one checkpoint freed, in fewer commands than
    ranges."""
    disk, path = AT + "xfs", "/srv/files/xfs.img"
    client.run(f"mkfs.xfs -q -f -m reflink=0 {disk} && mount -o discard {disk} /mnt/xfs", timeout=120)
    sums = make(client, "/mnt/xfs")
    before, commands = allocated(server, path), discards(client, "xfs")
    client.run(f"cd /mnt/xfs && rm $(seq 0 2 {FILES - 1}) && sync -f .")
    server.wait_for(f"sync -f {path}; [ $(stat -c %b {path}) -le {(before - FILES // 2 * SIZE) // SECTOR + 2048} ]")
    commands = discards(client, "xfs") - commands
    freed = before - allocated(server, path)
    assert 0 < commands < FILES // 2, f"{commands} discards for {FILES // 2} ranges"
    assert FILES // 2 * SIZE - MIB <= freed <= FILES // 2 * SIZE + MIB, freed
    remain(client, "/mnt/xfs", sums)
    client.run(f"umount /mnt/xfs && xfs_repair -n {disk}", timeout=120)


def ext4(server, client):
    """fstrim reports how much it discarded, and the backend holds that much less."""
    disk, path = AT + "ext4", "/srv/files/ext4.img"
    client.run(f"mkfs.ext4 -qF -E nodiscard {disk} && mount {disk} /mnt/ext4", timeout=120)
    sums = make(client, "/mnt/ext4")
    client.run("fstrim /mnt/ext4", timeout=120)
    before = allocated(server, path)
    client.run(f"cd /mnt/ext4 && rm $(seq 0 2 {FILES - 1}) && sync -f .")
    said = int(re.search(r"\((\d+) bytes\)", client.run("fstrim -v /mnt/ext4", timeout=120).out).group(1))
    freed = before - allocated(server, path)
    assert said >= FILES // 2 * SIZE, said
    assert FILES // 2 * SIZE - MIB <= freed <= said, (said, freed)
    remain(client, "/mnt/ext4", sums)
    client.run(f"umount /mnt/ext4 && e2fsck -fn {disk}", timeout=120)


def zeroes(server, client):
    """The file has no extents, like those of ext3: the server can zero a range of it only by
    writing zeroes."""
    path, disk = "/srv/old/disk.img", AT + "old"
    server.run(f"dd if=/dev/urandom of={path} bs=1M count=8 status=none && sync -f {path} && causeway export add old --file {path} --allow any")
    server.fails(f"fallocate -z -o 0 -l 1M -n {path}", "unsupported|not supported")
    client.run("causeway attach 10.0.0.1/old")
    client.run(f"dd if={disk} of=/tmp/wanted bs=1M iflag=direct status=none")
    full = allocated(server, path)
    # The ranges are not whole pages, and need more than one write of the server.
    for start, length in ((4096, 4096), (1 * MIB + 4096, 300 << 10), (3 * MIB, 2 * MIB)):
        client.run(f"fallocate -z -n -o {start} -l {length} {disk} && "
                   f"dd if=/dev/zero of=/tmp/wanted bs=4k seek={start // 4096} count={length // 4096} conv=notrunc status=none && "
                   f"cmp /tmp/wanted <(dd if={disk} bs=1M iflag=direct status=none)")
    assert allocated(server, path) == full, (full, allocated(server, path))
    client.run(f"fallocate -p -o 6M -l 1M {disk}")
    assert full - 2 * MIB < allocated(server, path) <= full - MIB + 65536, (full, allocated(server, path))
