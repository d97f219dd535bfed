# SPDX-License-Identifier: GPL-2.0-or-later
"""Two machines joined by soft-RoCE, and systems on them: the server exports, the client attaches.

Each machine goes by the clock of the computer it runs on, so only what ran in turn on the same two can be compared.
"""

from contextlib import contextmanager
from dataclasses import replace

from machine.topology import pair

from ground import Ground
from counted import TOPOLOGY, booted
from systems import SYSTEMS

GROUND = Ground("pair", None, "10.0.0.1", "10.0.0.2", "rxe0", "rxe0")
MEMORY = 1536       # MiB
# Of Causeway's queue pairs: what the connection manager of Linux 6.1 gives those of all others on RoCE (a packet lifetime of
# 18, and one for the way back), 2.1 s a try. The rig sets a longer one for its scenarios.
ACK_TIMEOUT = 19


@contextmanager
def machines(cpus, made, folder, say):
    """The server and the client, with so many processors each."""
    host = {"cpus": cpus, "memory": MEMORY}
    # The image of the machine that counts has the programs of all systems.
    with booted(pair(server=host, client=host, packages=TOPOLOGY.packages), made, folder, say) as lab:
        yield lab.server, lab.client


def start(server, client, wanted):
    """Attaches (system, queues) -> count of devices; returns the same with their files."""
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
