# SPDX-License-Identifier: GPL-2.0-or-later
"""Verified I/O of a disk with two paths goes on when either path is lost, and after both were lost. A path that is back joins
again, and no login is needed while another path is live. Paths that carry commands in turn lose nothing either. A path ends as
soon as its port goes down. A detach ends in order on the path that is left, although the other one is dead and not known to
be."""
from using import causeway, paths, verified

TIER = "ci"
KERNELS = ("stock",)
LONG_KERNELS = ("lockdep", "kasan")
TOPOLOGY = paths.topology()
LEAVES = ("export",)
NAME = "10.0.0.1/m"
DISK = f"/dev/causeway/{NAME}"
FENCE_NS = 30e9     # far more than a fence takes, and less than the scenario
OTHER_IO = f"dd if=/dev/urandom of={DISK} bs=1M seek=32 count=1 oflag=direct conv=notrunc status=none"


def lose(client, events, link):
    """Cut a link until the client has given up the path over it, and wait until the path has joined again."""
    client.link_down(link)
    events.wait_for(f"path-down {NAME}: path {link}: port 1 of rxe{link} went down", timeout=60)
    client.run(OTHER_IO, timeout=30)
    client.link_up(link)
    events.wait_for(f"path {link} is live", timeout=90)


def lose_both(client, events):
    for link in 0, 1:
        client.link_down(link)
    events.wait_for(f" down {NAME}", timeout=60)
    for link in 0, 1:
        client.link_up(link)
    events.wait_for(f" up {NAME}", timeout=90)
    events.wait_for(f"path-up {NAME}", timeout=90)


def detach_by_the_other_path(server, client):
    """The port of the client stays up, so the client sends GOODBYE on the path that is dead."""
    client.run("udevadm settle; dmesg -C")
    server.link_down(0)
    client.run(f"causeway detach {NAME}", timeout=60)
    said = client.run("dmesg").out
    assert "detached without an answer" not in said, said
    server.link_up(0)
    assert causeway.connections(server) == [], causeway.connections(server)


def lose_paths_under_io(client, events, policy):
    paths.attach(client, "m", events, options=f"--policy {policy}")
    job = verified.start(client, DISK,
                         "--rw=randwrite --bs=4k --iodepth=16 --size=16M --time_based --runtime=1h")
    for link in 0, 1:
        lose(client, events, link)
    session = causeway.connection(client)
    assert session["state"] == "live" and session["reconnects"] == 0, session
    assert session["failovers"] == 2, session
    assert [(path["losses"], path["fences"]) for path in session["paths"]] == [(1, 1), (1, 1)], session
    assert all(0 < path["fence_ns"] < FENCE_NS for path in session["paths"]), session
    # Otherwise the loss of a path that settles may come first, and is no failover.
    client.wait_for("[ $(causeway path list | grep -c 'live, carries I/O') = 2 ]", timeout=60)
    lose_both(client, events)
    session = causeway.connection(client)
    assert session["state"] == "live" and session["reconnects"] == 1, session
    assert session["failovers"] == 3, session
    assert [(path["losses"], path["fences"]) for path in session["paths"]] == [(2, 2), (2, 2)], session
    paths.passes(job)


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 64M --allow any")
    events = causeway.watch(client)
    lose_paths_under_io(client, events, "auto")
    client.run(f"causeway detach {NAME}")
    lose_paths_under_io(client, events, "round-robin")
    detach_by_the_other_path(server, client)
