# SPDX-License-Identifier: GPL-2.0-or-later
"""The client sees the 4096-byte sectors of the server's disks and files. The disks hold what file
systems, vectors with gaps and fixed buffers of io_uring wrote. All of this also works with sectors
of 512 bytes."""
from machine.needs import module
from using import scsi_debug
from machine.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "1G"),)})
TIER = "long"
REQUIRES = (module("scsi_debug"),)
LEAVES = ("export",)

AT = "/dev/causeway/10.0.0.1/"
BLOCK = {"device": 4096, "file": 4096, "small": 512}
# fio submits batches, so that requests whose memory does not adjoin are in the queue together and
# may be merged. A registered buffer begins at a multiple of the sector size, as Linux 6.1 requires.
FIXED = ("fio --name=f --ioengine=io_uring --fixedbufs=1 --direct=1 --iomem_align={} --iodepth=16 --iodepth_batch_submit=8 "
         "--iodepth_batch_complete_min=8 --rw=write --verify=crc32c --verify_fatal=1 --verify_state_save=0 --minimal "
         "--size=4M --offset=4M --bs={} --filename={} >/dev/null")


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    disk = scsi_debug.make(server, dev_size_mb=96, sector_size=4096)
    server.run(f"modprobe dm_mod; dmsetup create device --table '0 65536 linear {disk} 0' && "
               f"dmsetup create files --table '0 131072 linear {disk} 65536' && "
               f"dmsetup create small --table '0 65536 linear {store} 0' && "
               "mkfs.ext4 -qF /dev/mapper/files && mkdir -p /srv/files && mount /dev/mapper/files /srv/files && "
               "fallocate -l 32M /srv/files/disk.img")
    server.run("causeway export add device --device /dev/mapper/device --allow any && causeway export add small --device /dev/mapper/small --allow any && "
               "causeway export add file --file /srv/files/disk.img --allow any")
    for name, block in BLOCK.items():
        judge(client, name, block)
    for name, path in (("device", "/dev/mapper/device"), ("file", "/srv/files/disk.img")):
        sum_of = "dd if={} bs=1M count=32 iflag=direct status=none | sha256sum"
        assert client.run(sum_of.format(AT + name)).out == server.run(sum_of.format(path)).out
    client.run("causeway detach --all")
    server.run("causeway stop --force && umount /srv/files && dmsetup remove device files small")
    scsi_debug.remove(server)


def judge(client, name, block):
    disk = AT + name
    client.run(f"causeway attach 10.0.0.1/{name}")
    assert client.run(f"blockdev --getss --getpbsz {disk}").lines == [str(block), "4096" if block == 4096 else "512"], name
    if block > 512:
        for command in (f"dd if={disk} of=/dev/null bs=512 count=1 iflag=direct",
                        f"dd if=/dev/zero of={disk} bs=512 count=1 seek=1 oflag=direct conv=notrunc"):
            client.fails(command, "Invalid argument")
    client.run(f"mkfs.ext4 -qF {disk} && mount {disk} /mnt && cp /usr/lib/udev/*_id /mnt && sync -f /mnt && "
               "echo 3 >/proc/sys/vm/drop_caches && for each in /usr/lib/udev/*_id; do cmp $each /mnt/${each##*/} || exit; done && "
               f"umount /mnt && e2fsck -fn {disk}", timeout=120)
    said = client.run(f"causeway-judge vectors {disk} {block} 60", timeout=120)
    assert f"in blocks of {block}" in said.out, said.out
    client.run(FIXED.format(block, 3 * block, disk), timeout=120)
    client.run(FIXED.format(block, -(-70000 // block) * block, disk), timeout=120)
