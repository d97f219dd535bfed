# SPDX-License-Identifier: GPL-2.0-or-later
"""The common part of the kernel's SCSI targets."""

from .local import CONFIGFS, backing, no_scheduler

TARGET = "/sys/kernel/config/target"


def backstores(host, ground, count):
    """Make the backing devices known to LIO; return LIO's names of them."""
    host.run(f"modprobe -a configfs target_core_mod target_core_iblock && {CONFIGFS}")
    stores = []
    for i, device in enumerate(backing(host, ground, count)):
        store = f"{TARGET}/core/iblock_0/b{i}"
        host.run(f"mkdir -p {store} && echo udev_path={device} >{store}/control && "
                 f"echo {device} >{store}/udev_path && echo 1 >{store}/enable")
        stores.append(store)
    return stores


def scsi_disks(host, count):
    """Return the client's disks when all of them exist. sd_mod must be loaded before."""
    host.wait_for(f"[ $(ls -d /sys/block/sd* | wc -l) = {count} ]", timeout=120)
    names = sorted(host.run("ls -d /sys/block/sd*").out.replace("/sys/block/", "").split())
    for name in names:
        host.wait_for(f"[ -b /dev/{name} ]")
    no_scheduler(host, names)
    return [f"/dev/{name}" for name in names]
