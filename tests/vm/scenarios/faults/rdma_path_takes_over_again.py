# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk with a path over RDMA and one over TCP sends its I/O by RDMA. When the path over RDMA is lost, I/O goes by TCP. When that
path is back, it carries I/O again after 3 s, and after 6 s when it was lost again soon. Each move is an event with its reason and
is counted, and loses nothing: the path that stands by has no fence. If only TCP is there when the disk is attached, its commands
are small enough for RDMA, which carries I/O as soon as it is there."""
import datetime
import re

from using import causeway, paths, tcp, verified

TIER = "long"
KERNELS = ("stock",)
LONG_KERNELS = ("lockdep", "kasan")
TOPOLOGY = paths.topology()
LEAVES = ("attachment", "export")
NAME = "10.0.0.1/both"
WHERE = f"disk-path=10.0.0.1 disk-path=tcp/10.1.0.1:{tcp.PORT}"
RDMA, TCP = [True, False], [False, True]
REASON = "path 0 was lost: port 1 of rxe0 went down"
LATE = 5    # seconds that a move may come late, on a kernel that is not slow


def carries_io(client):
    return [path["carries_io"] for path in causeway.answer(client, "path list")["paths"]]


def time_of(match):
    return datetime.datetime.fromisoformat(match.group(1).rstrip("Z")).timestamp()


def check_counts(client, fallbacks, returns):
    session = causeway.connection(client)
    assert (session["fallbacks"], session["returns"], session["reconnects"]) == (fallbacks, returns, 0), session
    assert session["fallback_reason"] == (REASON if fallbacks else None), session
    assert [(path["losses"], path["fences"]) for path in session["paths"]] == [(fallbacks, returns), (0, 0)], session


def lose_rdma(client, events, disk, settles, losses):
    """Cut the link of the path over RDMA, and check when the path carries I/O again."""
    client.link_down(0)
    events.wait_for(f"path-down {NAME}: path 0: port 1 of rxe0 went down", timeout=60)
    events.wait_for(f"fallback {NAME}: path 1 over TCP carries I/O now, because {REASON}$", timeout=10)
    client.run(f"dd if=/dev/urandom of={disk} bs=1M seek=32 count=2 oflag=direct conv=notrunc status=none", timeout=60)
    assert carries_io(client) == TCP, causeway.connection(client)
    said = client.run("causeway path list").out
    assert f"I/O goes by TCP, because {REASON}\n" in said, said
    client.link_up(0)
    up = events.wait_for(rf"^(\S+) path-up {NAME}: path 0 is live", timeout=90)
    back = events.wait_for(rf"^(\S+) return {NAME}: path 0 over RDMA carries I/O now, because it has been live for (\d+) ms$",
                           timeout=90)
    took = time_of(back) - time_of(up)
    assert settles - 0.1 <= took <= settles + LATE * client.agent.scale, took
    assert int(back.group(2)) >= 1000 * settles, back.group(0)
    assert carries_io(client) == RDMA, causeway.connection(client)
    check_counts(client, losses, losses)


def lose_tcp(client, events):
    """The loss of a path that stands by moves nothing."""
    client.link_down(1)
    events.wait_for(f"path-down {NAME}: path 1: ", timeout=90)
    assert carries_io(client) == RDMA, causeway.connection(client)
    client.link_up(1)
    said = events.wait_for(rf"(?s).*path-up {NAME}: path 1 is live", timeout=120).group(0)
    assert not re.search("fallback|return", said), said
    assert carries_io(client) == RDMA, causeway.connection(client)


def attach_by_tcp(client, events):
    """Attach the disk while RDMA is not there; return its device when RDMA carries the I/O."""
    client.link_down(0)
    disk = tcp.attach(client, "both", WHERE)
    assert carries_io(client) == TCP, causeway.connection(client)
    largest = int(client.run(f"cat /sys/block/$(basename $(readlink -f {disk}))/queue/max_hw_sectors_kb").out)
    assert largest == 256, largest
    client.link_up(0)
    events.wait_for(f"path-up {NAME}: path 0 is live", timeout=90)
    client.wait_for("causeway path list | grep -q '10.0.0.1:4793 .* live, carries I/O'", timeout=30)
    assert carries_io(client) == RDMA, causeway.connection(client)
    return disk


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add both --ram 64M --allow any --tcp")
    events = causeway.watch(client)
    disk = attach_by_tcp(client, events)
    job = verified.start(client, disk, "--rw=randwrite --bs=4k --iodepth=16 --size=16M --time_based --runtime=1h")
    check_counts(client, 0, 0)
    for losses, settles in (1, 3), (2, 6):
        lose_rdma(client, events, disk, settles, losses)
    lose_tcp(client, events)
    paths.passes(job)
    said = client.run("causeway metrics").out
    for counter in "fallbacks", "returns":
        assert f'causeway_disk_{counter}_total{{server="10.0.0.1",name="both"}} 2\n' in said, said
