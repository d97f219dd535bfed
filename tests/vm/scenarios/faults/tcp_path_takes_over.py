# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk with a path over RDMA and one over TCP goes on when either is lost, and both come back. A disk whose only path is over
TCP loses nothing when its connections are reset during writes, nor when its cable is pulled for longer than the detection time. No
socket of a connection that was lost stays."""
from using import causeway, paths, tcp, verified

TIER = "long"
KERNELS = ("stock",)
LONG_KERNELS = ("lockdep", "kasan")
TOPOLOGY = paths.topology()
LEAVES = ("attachment", "export")
BOTH = f"disk-path=10.0.0.1 disk-path=tcp/10.1.0.1:{tcp.PORT}"
NAME = "10.0.0.1/both"
ALONE = "10.0.0.1/alone"


# In any order. The path over TCP of a disk that also has one by RDMA carries probes only.
BOTH_LOST = f"(?s) down {ALONE}.*path-down {NAME}|path-down {NAME}.* down {ALONE}"
BOTH_UP = f"(?s) up {ALONE}.*path-up {NAME}|path-up {NAME}.* up {ALONE}"


def lose(client, events, link, disk, lost, back):
    """Cut a link until the client has given up the paths over it; the other path carries I/O meanwhile."""
    client.link_down(link)
    events.wait_for(lost, timeout=60)
    client.run(f"dd if=/dev/urandom of={disk} bs=1M seek=32 count=2 oflag=direct conv=notrunc status=none", timeout=60)
    client.link_up(link)
    events.wait_for(back, timeout=120)


def scenario(rig):
    server, client = rig.server, rig.client
    for name in ("both", "alone"):
        server.run(f"causeway export add {name} --ram 64M --allow any --tcp")
    events = causeway.watch(client)
    both = tcp.attach(client, "both", BOTH)
    events.wait_for("path 1 is live", timeout=60)
    alone = tcp.attach_alone(client, "alone", "10.1.0.1")
    jobs = [verified.start(client, disk, f"--rw=randwrite --bs={bs} --iodepth=16 --size=16M --time_based --runtime=1h")
            for disk, bs in ((both, "4k"), (alone, "64k"))]
    for _ in range(3):
        tcp.reset_connections(client, events, BOTH_LOST)
        events.wait_for(BOTH_UP, timeout=120)
    lose(client, events, 0, both, f"path-down {NAME}: path 0", f"path-up {NAME}")
    lose(client, events, 1, both, BOTH_LOST, BOTH_UP)
    for job in jobs:
        paths.passes(job)
    for host in (server, client):
        tcp.wait_for_no_orphan(host)
    sessions = {each["name"]: each for each in causeway.connections(client)}
    assert sessions["both"]["reconnects"] == 0, sessions
    assert sessions["alone"]["reconnects"] >= 4, sessions
