# SPDX-License-Identifier: GPL-2.0-or-later
"""A client with libvirt, and a server with disks and a folder for its virtual machines, for the
scenarios that run VIRTUALISATION.md."""
from . import nfs, nfs_home, recipes
from machine.needs import program
from machine.topology import Disk, pair

PAGE = "VIRTUALISATION.md"
TOPOLOGY = pair(server={"disks": (Disk("store", "256M"),)},
                client={"init": "systemd", "memory": 1536},
                packages=("libvirt-daemon-system", "libvirt-clients", "qemu-system-x86", "qemu-utils", "lvm2", "nfs-kernel-server",
                          "nfs-common"))
REQUIRES = (program("virsh"),)
IMAGES, ROOT = "/srv/images", "/var/exported"
ROOT_SETTING = "/etc/nfs.conf.d/rig-root.conf"


def prepare(client):
    """Start libvirtd, and enable what Debian enables when the packages are installed."""
    recipes.prepare(client)
    client.run("systemctl start libvirtd", timeout=180)


def forget(client):
    """Disable the units that prepare() or the first boot of the image enabled."""
    client.run("systemctl disable --now causeway causeway-shutdown", timeout=120)


def make_folder(server):
    """Make a file system for images in the volume group, and start nfsd, which serves nothing yet.

    NFS 4 shows clients the folders above /srv/images too, from the root folder on, and the root file system of the machine
    cannot be served. So the programs of nfsd take a folder of the new file system for the root folder.
    """
    nfs.prepare(server)
    server.rig.leaves.add("mount")
    server.run(f"lvcreate -q -y -L 64M -n images vg0 && mkfs.ext4 -q /dev/vg0/images && mkdir -p {ROOT} {IMAGES} && "
               f"mount /dev/vg0/images {ROOT} && mkdir -p {ROOT}{IMAGES} && mount --bind {ROOT}{IMAGES} {IMAGES}", timeout=120)
    server.write(ROOT_SETTING, f"[exports]\nrootdir={ROOT}\n")
    nfs_home.start_programs(server)
    server.run("rpc.nfsd 4")


def remove_folder(server):
    server.run(f"rpc.nfsd 0 && rm {ROOT_SETTING} && pkill -x rpc.mountd && pkill -x rpc.statd && pkill -x nfsdcld && umount {IMAGES}")
    server.wait_for(f"umount {ROOT}", timeout=30)
    server.run("lvremove -q -y vg0/images", timeout=120)
