# SPDX-License-Identifier: GPL-2.0-or-later
"""Two machines joined by soft-RoCE, and systems on them: the server exports, the client attaches.

Each machine uses the clock of the real computer, so only runs in turn on the same two machines can
be compared."""

from contextlib import contextmanager
from dataclasses import replace

from machine.topology import pair

from ground import Ground
from counted import TOPOLOGY, booted
from systems import SYSTEMS

GROUND = Ground("pair", None, "10.0.0.1", "10.0.0.2", "rxe0", "rxe0")
MEMORY = 1536       # MiB
# The ACK timeout of Causeway's queue pairs: 2.1 s for each attempt. The connection manager of Linux
# 6.1 sets the same one for all others on RoCE (a packet lifetime of 18, and one for the way back).
# The rig sets a longer timeout for its scenarios.
ACK_TIMEOUT = 19


@contextmanager
def machines(cpus, made, folder, say):
    """Boot the server and the client, with that many processors each."""
    host = {"cpus": cpus, "memory": MEMORY}
    # The image of the machine that counts has the programs of all systems.
    with booted(pair(server=host, client=host, packages=TOPOLOGY.packages), made, folder, say) as rig:
        yield rig.server, rig.client


def start(server, client, wanted):
    """Attach the devices of (system, queues) -> count; return the same keys with the files of the
    devices."""
    for host in (server, client):
        host.run(f"modprobe causeway ack_timeout={ACK_TIMEOUT}")
    files, first = {}, 0
    for (system, queues), count in wanted.items():
        ground = replace(GROUND, queues=queues, first=first)
        files[system, queues] = SYSTEMS[system].start(server, client, ground, count)
        first += count
    for host in (server, client):
        host.run("udevadm settle && udevadm control --exit", timeout=180)
    return files
