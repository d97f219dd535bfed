# SPDX-License-Identifier: GPL-2.0-or-later
"""An export cannot keep its ledger of owners on a disk that its server attached from itself, even
through other layers. It can keep the ledger on a disk of another server."""

from machine.topology import Disk, pair
from using import causeway

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"), Disk("second", "64M"))})
TIER = "long"

DISK = "/dev/causeway/10.0.0.1/m"
STATE = "/srv/state"


def refused(server, folder):
    add = f"causeway export add n --device {server.disk('second')} --state-folder {folder} --allow any"
    result = server.fails(add, "which is attached from this machine as 10.0.0.1/m: the ledger of owners cannot be there")
    assert result.rc == 1, result
    assert [each["name"] for each in causeway.exports(server)] == ["m"]
    assert server.run(f"ls -A {folder}").out in ("", "lost+found\n", "lost+found")


def mounted(server, device):
    """Make a file system on the device, and check that an export with a folder on it is refused."""
    server.run(f"mkfs.ext4 -qF {device} && mkdir -p {STATE} && mount {device} {STATE} && mkdir {STATE}/deep")
    refused(server, f"{STATE}/deep")
    server.run(f"umount {STATE}")


def scenario(rig):
    server, client = rig.server, rig.client
    server.run(f"modprobe -a dm_mod loop && causeway export add m --device {server.disk('store')} --allow any")
    server.run("causeway attach 10.0.0.1/m")
    mounted(server, DISK)

    sectors = server.run(f"blockdev --getsz {DISK}").out.strip()
    server.run(f"dmsetup create part --table '0 {sectors} linear {DISK} 0'")
    mounted(server, "/dev/mapper/part")
    server.run("dmsetup remove part")

    # The layer between is a file on the disk, as a loop device.
    server.run(f"mkfs.ext4 -qF {DISK} && mkdir -p /srv/outer && mount {DISK} /srv/outer && truncate -s 32M /srv/outer/image")
    loop = server.run("losetup --find --show /srv/outer/image").out.strip()
    mounted(server, loop)
    server.run(f"losetup -d {loop} && umount /srv/outer && causeway detach 10.0.0.1/m && causeway export remove m")

    # This is a disk of another server: writing it does not depend on this server's exports.
    client.run("causeway export add other --ram 64M --allow any")
    server.run("causeway attach 10.0.0.2/other && mkfs.ext4 -qF /dev/causeway/10.0.0.2/other && "
               f"mount /dev/causeway/10.0.0.2/other {STATE}")
    server.run(f"causeway export add n --device {server.disk('second')} --state-folder {STATE} --allow any")
    client.run("causeway attach 10.0.0.1/n && causeway detach 10.0.0.1/n")
    server.run(f"causeway export remove n && umount {STATE} && causeway detach 10.0.0.2/other")
    client.run("causeway export remove other")
