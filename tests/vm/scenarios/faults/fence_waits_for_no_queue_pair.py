# SPDX-License-Identifier: GPL-2.0-or-later
"""A server answers the fence of a lost path when its queue pairs are drained. It does not wait until the driver has freed them:
rxe waits for the last packet, which lies in a queue for seconds if the network is lost."""
from machine.needs import module
from using import causeway, paths

TIER = "long"
KERNELS = ("stock",)
TOPOLOGY = paths.topology()
REQUIRES = (module("slow_drain"),)
LEAVES = ("export",)
NAME = "10.0.0.1/m"
DESTROY = "/sys/module/slow_drain/parameters"


def scenario(rig):
    server, client = rig.server, rig.client
    events = paths.serve_by_one(server, client, "m")
    server.run(f"modprobe slow_drain && echo 1 >{DESTROY}/hold_destroy")
    writer = paths.lose_with_write(server, client, "m", events, "/dev/urandom")
    server.wait_for(f"grep -qv '^0$' {DESTROY}/destroying", timeout=30)
    writer.wait(timeout=30)
    assert int(server.read(f"{DESTROY}/destroying")) > 0, server.read(f"{DESTROY}/destroying")
    server.link_up(0)
    server.run(f"echo 0 >{DESTROY}/hold_destroy && rmmod slow_drain")
    events.wait_for("path 0 is live", timeout=90)
    assert causeway.connection(client)["reconnects"] == 0, causeway.connection(client)
    client.run(f"causeway detach {NAME}")
