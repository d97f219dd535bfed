# SPDX-License-Identifier: GPL-2.0-or-later
"""ext4 and xfs keep verified content over unmount, detach and attach, on an exported file and on an
exported device."""
from machine.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "1G"),)})
TIER = "long"
LEAVES = ("export",)

LINK = "/dev/causeway/10.0.0.1/"


CHECK = {"ext4": "e2fsck -fn", "xfs": "xfs_repair -n"}
FORCE = {"ext4": "-F", "xfs": "-f"}
FIO = ("fio --name=v --size=4M --rw=randwrite --bsrange=4k-128k --ioengine=libaio --direct=1 --iodepth=8 "
       "--verify=crc32c --verify_fatal=1 --verify_state_save=0 --minimal >/dev/null")


def fill(client, name, kind):
    disk, place = LINK + name, "/mnt/" + name
    client.run(f"causeway attach 10.0.0.1/{name}")
    client.run(f"mkdir -p {place} && mkfs.{kind} -q {FORCE[kind]} {disk} && mount {disk} {place}", timeout=120)
    client.run(f"cd {place} && cp /usr/lib/udev/*_id . && {FIO}", timeout=120)
    found = client.run(f"cd {place} && find . -type f -exec sha256sum {{}} +").out
    client.run(f"umount {place} && causeway detach 10.0.0.1/{name}", timeout=120)
    return found


def look(client, name, kind):
    disk, place = LINK + name, "/mnt/" + name
    client.run(f"causeway attach 10.0.0.1/{name}")
    client.run(f"{CHECK[kind]} {disk} && mount {disk} {place}", timeout=120)
    found = client.run(f"cd {place} && find . -type f -exec sha256sum {{}} +", timeout=120).out
    client.run(f"umount {place} && causeway detach 10.0.0.1/{name}", timeout=120)
    return found


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"modprobe dm_mod; dmsetup create device --table '0 901120 linear {store} 0' && "
               f"dmsetup create files --table '0 1048576 linear {store} 1048576' && "
               "mkfs.ext4 -qF /dev/mapper/files && mkdir -p /srv/files && mount /dev/mapper/files /srv/files && "
               "truncate -s 440M /srv/files/disk.img")
    server.run("causeway export add device --device /dev/mapper/device --allow any")
    server.run("causeway export add file --file /srv/files/disk.img --allow any")
    for kinds in ({"device": "ext4", "file": "xfs"}, {"device": "xfs", "file": "ext4"}):
        before = {name: fill(client, name, kind) for name, kind in kinds.items()}
        after = {name: look(client, name, kind) for name, kind in kinds.items()}
        assert after == before and "v.0.0" in after["file"], (before, after)
    server.run("causeway stop --force && umount /srv/files && dmsetup remove device files")
