# SPDX-License-Identifier: GPL-2.0-or-later
"""RNBD over RTRS, built from Debian's sources of the kernel."""

from .local import backing, no_scheduler

NAME = "rnbd"
GROUNDS = ("rxe", "wire")


def start(host, ground, count):
    host.run("modprobe -a rnbd-server rnbd-client")
    for i, device in enumerate(backing(host, count)):
        host.run(f"echo sessname=bench path=ip:{ground.client}@ip:{ground.server} device_path={device} "
                 "nr_poll_queues=0 >/sys/class/rnbd-client/ctl/map_device", timeout=120)
    names = [f"rnbd{i}" for i in range(count)]
    for name in names:
        host.wait_for(f"[ -b /dev/{name} ]")
    no_scheduler(host, names)
    return [f"/dev/{name}" for name in names]
