# SPDX-License-Identifier: GPL-2.0-or-later
"""A slow disk gets every write that a client submits one by one: no write waits for the answer to
another one."""

from machine.topology import Disk, pair
from using import causeway

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"),)})
TIER = "ci"
LEAVES = ("export",)

DISK = "/dev/causeway/10.0.0.1/slow"
DEPTH = 16


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"modprobe dm_mod && dmsetup create slow --table '0 131072 linear {store} 0' && "
               "causeway export add slow --device /dev/mapper/slow --allow any")
    client.run("causeway attach 10.0.0.1/slow")
    # The disk answers nothing from here on.
    client.run("udevadm settle")
    server.run("udevadm settle; dmsetup suspend slow")
    # fio sends exactly as many writes as the depth. fio opens the disk twice. udev would read the
    # disk in between, but leaves a locked disk alone.
    fio = client.start(f"flock {DISK} fio --name=all --filename={DISK} --direct=1 --ioengine=libaio --rw=randwrite --bs=4k "
                       f"--iodepth={DEPTH} --number_ios={DEPTH} --minimal >/dev/null")
    server.wait_for(f"causeway stat | grep -qE '^ *writes +{DEPTH}$'")
    stat, = causeway.answer(server, "stat")["stats"]
    assert stat["latency"]["write"]["samples"] == 0, stat
    server.run("dmsetup resume slow")
    fio.wait(timeout=120)
    client.run("causeway detach 10.0.0.1/slow")
    server.run("causeway stop --force && dmsetup remove slow")
