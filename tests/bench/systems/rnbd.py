# SPDX-License-Identifier: GPL-2.0-or-later
"""RNBD over RTRS, built from Debian's sources of the kernel."""

from .local import backing, no_scheduler

NAME = "rnbd"
# Not on sim: RTRS registers memory in pages of 128 KiB, which rdmavt does not have: its pages have
# 4 KiB.
GROUNDS = ("rxe", "wire")


def start(server, client, ground, count):
    server.run("modprobe rnbd-server")
    client.run("modprobe rnbd-client")
    for device in backing(server, ground, count):
        client.run(f"echo sessname=bench path=ip:{ground.client}@ip:{ground.server} device_path={device} "
                   "nr_poll_queues=0 >/sys/class/rnbd-client/ctl/map_device", timeout=120)
    names = [f"rnbd{i}" for i in range(count)]
    for name in names:
        client.wait_for(f"[ -b /dev/{name} ]")
    no_scheduler(client, names)
    return [f"/dev/{name}" for name in names]
