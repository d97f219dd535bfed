# SPDX-License-Identifier: GPL-2.0-or-later
"""Every 300 ms one of the two links of a disk goes down or comes back, under verified I/O: each link alone, and both
for a moment. I/O goes on meanwhile, no write is lost, and both paths are there at the end. FLAPPING_SECONDS=300 in the
environment makes this last five minutes."""
import itertools
import os
import time

from using import causeway, paths

TIER = "long"
KERNELS = ("stock", "lockdep", "kasan")
TOPOLOGY = paths.topology()
LEAVES = ("attachment", "export")
NAME = "10.0.0.1/m"
SECONDS = int(os.environ.get("FLAPPING_SECONDS", "30"))
DISTANCE = 0.3      # seconds between two changes
CHANGES = (0, "down"), (0, "up"), (1, "down"), (1, "up"), (0, "down"), (1, "down"), (0, "up"), (1, "up")


LIVE = "[ $(causeway --json path list | grep -c '\"state\": \"live\"') = 2 ]"


def flap(client):
    """Change the links until the time is over and both are up; return how often."""
    began = time.monotonic()
    for count, (link, change) in enumerate(itertools.cycle(CHANGES)):
        if count % len(CHANGES) == 0 and time.monotonic() - began >= SECONDS:
            return count
        (client.link_down if change == "down" else client.link_up)(link)
        # The distance is what this scenario is about.
        time.sleep(max(0, began + (count + 1) * DISTANCE - time.monotonic()))


def commands(client):
    counters = causeway.answer(client, "stat")["stats"][0]["counters"]
    return counters["reads"] + counters["writes"]


def scenario(rig):
    server, client = rig.server, rig.client
    _, job = paths.attach_under_io(server, client, "m")
    before = commands(client)
    changes = flap(client)
    done = commands(client) - before
    client.wait_for(LIVE, timeout=90)
    session = causeway.connection(client)
    losses, fences = ([path[what] for path in session["paths"]] for what in ("losses", "fences"))
    print(f"{changes} changes of the links, {done} commands meanwhile; the disk lost all paths {session['reconnects']} "
          f"times, its paths were lost {losses} times and fenced {fences} times")
    assert min(losses) > 0 and done > 0, session
    print("\n".join(line for line in paths.passes(job).lines[-40:] if "IOPS" in line or "clat (" in line))
