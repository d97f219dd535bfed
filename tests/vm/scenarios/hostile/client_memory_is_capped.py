# SPDX-License-Identifier: GPL-2.0-or-later
"""A client that requests much and takes no answers holds no more than its share of the server's
memory. Other clients go on, the export is removed in bounded time, and all of the memory comes
back."""
import time

from machine.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"),)})
TIER = "ci"
LONG_KERNELS = ("lockdep",)

PARAMETERS = "/sys/module/causeway_target/parameters/"
BUDGET, SHARE = 8, 50           # MiB, percent
PATIENCE, MORE = 5, 10          # s: until the server cuts off the clients of an ending export, then until the command returns
DEAD_MS = 600000                # the largest value
LINKS = 2                       # each with 32 commands of 1 MiB
READ = "dd if=/dev/causeway/10.0.0.1/m of=/dev/null bs=1M count=16 iflag=direct status=none"


def holds(server, kib):
    """Wait until the server holds exactly that much: it frees ended transfers soon."""
    server.wait_for(f"[ $(cat {PARAMETERS}bulk_used_kib) = {kib} ]", timeout=20)


def hoard(rig, kib):
    """Start the client, and wait until the server holds that much; return the Job."""
    job = rig.client.start(f"causeway-peer 10.0.0.1 m hoard {LINKS}", has_input=True)
    job.wait_for("asked for 64 MiB")
    rig.server.wait_for(f"[ $(cat {PARAMETERS}bulk_used_kib) -ge {kib} ]")
    return job


def waited(server):
    """Return how many commands had to wait for memory."""
    return int(server.run("causeway metrics | grep 'limit=\"memory\"'").out.split()[-1])


def leave(rig, job):
    job.end_input()
    assert "left" in job.wait().out
    holds(rig.server, 0)


def scenario(rig):
    server = rig.server
    # The greedy clients stay as long as this scenario needs; stalled_client_is_dropped tests their
    # end.
    server.run(f"modprobe causeway dead_ms={DEAD_MS} && modprobe causeway_target bulk_mib={BUDGET} bulk_share={SHARE} end_timeout={PATIENCE}")
    server.run(f"causeway export add m --device {server.disk('store')} --allow any")
    # The other client is the server's own machine.
    server.run("causeway attach 10.0.0.1/m")
    greedy = hoard(rig, BUDGET * SHARE * 1024 // 100)
    server.run(READ, timeout=20)
    holds(server, BUDGET * SHARE * 1024 // 100)
    assert waited(server) > 0
    leave(rig, greedy)

    # Without shares one client gets the whole budget, but no more, and other clients still have the
    # reserve of the export.
    server.write(PARAMETERS + "bulk_share", "100")
    greedy = hoard(rig, BUDGET * 1024)
    # Readers at the same time, on as many links as the machine has processors, do not take the
    # reserve from each other.
    server.run(f"seq 4 | xargs -P 4 -I @ {READ}", timeout=40)
    holds(server, BUDGET * 1024)
    # A second greedy client, on the server's machine, gets nothing of the budget.
    counted = waited(server)
    late = server.start(f"causeway-peer 10.0.0.1 m hoard {LINKS}", has_input=True)
    server.wait_for("[ $(causeway --json stat | grep -c '\"reads\": 64') = 2 ]")
    holds(server, BUDGET * 1024)
    assert waited(server) > counted
    late.end_input()
    assert "left" in late.wait().out
    holds(server, BUDGET * 1024)

    # The waiting commands of the greedy client do not keep the export.
    server.run("causeway detach 10.0.0.1/m")
    began = time.monotonic()
    server.run("causeway export remove m --force", timeout=PATIENCE + MORE)
    took = time.monotonic() - began
    assert took >= PATIENCE, took
    greedy.end_input()
    greedy.wait(check=False)
    holds(server, 0)
