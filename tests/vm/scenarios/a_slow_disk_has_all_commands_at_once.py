# SPDX-License-Identifier: GPL-2.0-or-later
"""A slow disk gets every write that a client has, submitted one by one: none waits for another to be answered."""
import json

from rig.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"),)})
TIER = "ci"

DISK = "/dev/causeway/10.0.0.1/slow"
DEPTH = 16
DELAY = 5000        # ms that the disk takes for each


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"modprobe dm_mod && dmsetup create slow --table '0 131072 linear {store} 0' && "
               "causeway export add slow --device /dev/mapper/slow")
    client.run("causeway attach 10.0.0.1/slow")
    # Without udev, which would read it.
    server.run(f"dmsetup reload slow --table '0 131072 delay {store} 0 {DELAY}' && "
               "dmsetup resume slow --noudevrules --noudevsync")
    # As many as the depth and no more.
    fio = client.start(f"fio --name=all --filename={DISK} --direct=1 --ioengine=libaio --rw=randwrite --bs=4k "
                       f"--iodepth={DEPTH} --number_ios={DEPTH} --minimal >/dev/null")
    server.wait_for(f"causeway stat | grep -qE '^ *writes +{DEPTH}$'")
    stat, = json.loads(server.run("causeway --json stat").out)["stats"]
    assert stat["latency"]["write"]["samples"] == 0, stat
    fio.wait(timeout=120)
    server.run(f"dmsetup reload slow --table '0 131072 linear {store} 0' && dmsetup resume slow")
    client.run("causeway detach 10.0.0.1/slow")
    server.run("causeway stop && dmsetup remove slow")
