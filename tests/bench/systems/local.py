# SPDX-License-Identifier: GPL-2.0-or-later
"""null_blk itself, which is behind all others: what fio and the block layer cost."""

NAME = "local"
GROUNDS = ("rxe",)
SCALE = 8       # it takes so little that a figure wants more of it

NULL_BLK = "modprobe null_blk nr_devices={count} gb=1 bs=512 submit_queues=1 hw_queue_depth=256 irqmode=0 completion_nsec=0 queue_mode=2"


def no_scheduler(host, names):
    for name in names:
        host.run(f"echo none >/sys/block/{name}/queue/scheduler")


def backing(host, count):
    """The devices that a target exports."""
    host.run(NULL_BLK.format(count=count))
    names = [f"nullb{i}" for i in range(count)]
    no_scheduler(host, names)
    return [f"/dev/{name}" for name in names]


def start(host, ground, count):
    return backing(host, count)
