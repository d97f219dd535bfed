# SPDX-License-Identifier: GPL-2.0-or-later
"""A host is lost whose sessions all have a command with a disk that does not answer. The server goes on to answer the fences of
another session, and the scenario prints how long they take. LOST_SESSIONS=1000 in the environment takes a thousand sessions
instead."""
import os
from statistics import median

from machine.needs import module
from machine.topology import pair
from using import tracing

MEASURED = "LOST_SESSIONS" in os.environ
SESSIONS = int(os.environ.get("LOST_SESSIONS", 64))
# With soft-RoCE's queues a session takes 1.7 MiB of the server and less of the client.
TOPOLOGY = pair(server={"memory": 512 + 2 * SESSIONS}, client={"memory": 512 + 2 * SESSIONS})
TIER = "long"
KERNELS = ("stock",)
REQUIRES = (module("brd"),)
ROUND = 10              # fences after which causeway-peer says so
# Seconds. A fence that waited for the disk would take for ever. Beside other machines, this one may stand still.
SOON = 0.1 if MEASURED else 1
FENCE, FENCED = 20, 21  # messages
LINKS = 2               # of each session: control, and one for data
SESSION_SECONDS = 1     # to log in, at most
CLOSED = "the peer closed the connection"       # the links of the host that is lost; the peer's other paths are fenced
ENDED = f"[ $(grep -c '{CLOSED}' {tracing.FOLDER}/trace) -ge {LINKS * SESSIONS} ]"


def fence_times(events, begin, end):
    """Return the seconds from FENCE to FENCED, for the fences that began in a time. The peer has one at a time."""
    times, asked = [], None
    for event in events:
        if event.name == "cw_message_received" and f"type {FENCE} " in event.text:
            asked = event.seconds
        elif event.name == "cw_message_sent" and f"type {FENCED} " in event.text:
            if begin <= asked <= end:
                times.append(event.seconds - asked)
    return times


def shown(what, times):
    print(f"{len(times)} fences {what}: median {1000 * median(times):.1f} ms, most {1000 * max(times):.1f} ms")


def scenario(rig):
    server, client = rig.server, rig.client
    server.run(f"modprobe causeway max_sessions={2 * SESSIONS} max_sessions_host={2 * SESSIONS} max_links_host={8 * SESSIONS} "
               "max_strangers=200 max_strangers_host=200 dead_ms=600000")
    server.run("modprobe dm_mod; modprobe brd rd_nr=1 rd_size=16384 && dmsetup create hung --table '0 32768 linear /dev/ram0 0' && "
               "causeway export add hung --device /dev/mapper/hung --allow any && causeway export add other --ram 16M --allow any && "
               "dmsetup suspend hung")
    crowd = client.start(f"ulimit -n 65536; exec causeway-peer 10.0.0.1 hung stuck {SESSIONS}", has_input=True)
    crowd.wait_for(f"all {SESSIONS} commands wait", timeout=60 + SESSION_SECONDS * SESSIONS)
    tracing.mounted(server)
    for event in ("cw_message_received", "cw_message_sent"):
        server.run(f"echo 'type == {FENCE} || type == {FENCED}' >{tracing.FOLDER}/events/causeway/{event}/filter")
    tracing.start(server, "causeway/cw_message_received", "causeway/cw_message_sent", "causeway/cw_link_killed")
    fences = client.start(f"exec causeway-peer 10.0.0.1 other fences {ROUND}", has_input=True)
    fences.wait_for(f"fenced {2 * ROUND}$", timeout=60)
    server.run(f"echo lost >{tracing.FOLDER}/trace_marker")
    crowd.kill(9)
    server.wait_for(ENDED, timeout=60 + SESSION_SECONDS * SESSIONS)
    fences.skip()
    fences.wait_for("fenced", timeout=60)
    fences.end_input()
    fences.wait(timeout=60)
    crowd.wait(timeout=60, check=False)
    events = tracing.recorded(server)
    lost, = (event.seconds for event in events if "lost" in event.text and event.name == "tracing_mark_write")
    last = max(event.seconds for event in events if CLOSED in event.text)
    before, during = fence_times(events, 0, lost), fence_times(events, lost, last)
    print(f"{SESSIONS} sessions were lost within {last - lost:.1f} s")
    shown("before", before)
    shown("meanwhile", during)
    assert 0 < max(during) < SOON, during
    assert server.run("causeway --json net | grep -c closing", check=False).rc == 0

    server.run("dmsetup resume hung")
    server.wait_for("! causeway --json net | grep -q closing", timeout=60 + SESSION_SECONDS * SESSIONS)
    server.run("causeway export remove hung --force && dmsetup remove hung && modprobe -r brd && causeway export remove other --force")
