# SPDX-License-Identifier: GPL-2.0-or-later
"""Both links of a disk with two paths go down and come back again and again, in every order and at short distances, under
verified I/O. No write is lost, and a forced detach without any path ends."""
import itertools
import time

from using import paths

TIER = "long"
KERNELS = ("stock", "lockdep", "kasan")
TOPOLOGY = paths.topology()
LEAVES = ("export",)
NAME = "10.0.0.1/m"
DISTANCES = (0, 0.1, 0.3, 0.6, 0.9, 1.2)    # seconds between the cuts of the two links


def scenario(rig):
    server, client = rig.server, rig.client
    events, job = paths.attach_under_io(server, client, "m")
    for first, distance in itertools.product((0, 1), DISTANCES):
        client.link_down(first)
        time.sleep(distance)    # the distance is what this scenario varies
        client.link_down(1 - first)
        events.wait_for(f" down {NAME}", timeout=60)
        for link in first, 1 - first:
            client.link_up(link)
        events.wait_for(f" up {NAME}", timeout=90)
        events.wait_for(f"path-up {NAME}", timeout=90)
    paths.passes(job)
    for link in 0, 1:
        client.link_down(link)
    events.wait_for(f" down {NAME}", timeout=60)
    client.run(f"causeway detach {NAME} --force", timeout=30)
    for link in 0, 1:
        client.link_up(link)
