# SPDX-License-Identifier: GPL-2.0-or-later
"""null_blk itself, which is behind all other systems: the cost of fio and the block layer."""

NAME = "local"
GROUNDS = ("rxe",)
SCALE = 8       # an I/O is so cheap that a figure needs more of them

CONFIGFS = "{ mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config; }"
NULL_BLK = {"size": 1024, "blocksize": 512, "submit_queues": 1, "hw_queue_depth": 256, "irqmode": 0, "completion_nsec": 0,
            "queue_mode": 2}


def no_scheduler(host, names):
    for name in names:
        host.run(f"echo none >/sys/block/{name}/queue/scheduler")


def backing(host, ground, count):
    """Make the devices that a target exports; return their files."""
    host.run(f"modprobe configfs && modprobe null_blk nr_devices=0 && {CONFIGFS}")
    names = [f"nullb{number}" for number in ground.numbers(count)]
    for name in names:
        settings = " && ".join(f"echo {value} >{key}" for key, value in NULL_BLK.items())
        host.run(f"mkdir /sys/kernel/config/nullb/{name} && cd /sys/kernel/config/nullb/{name} && {settings} && echo 1 >power")
    no_scheduler(host, names)
    return [f"/dev/{name}" for name in names]


def start(server, client, ground, count):
    return backing(client, ground, count)
