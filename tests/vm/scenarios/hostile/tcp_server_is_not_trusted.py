# SPDX-License-Identifier: GPL-2.0-or-later
"""A client over TCP ends the connection to a server that moves memory out of order, twice, beyond its end, in the wrong direction
or after the command, or that ends a command without moving its data. The client connects again and accepts no wrong data."""
import hashlib
import re

from machine.topology import pair
from using import causeway, tcp

TIER = "long"
KERNELS = ("stock",)
LONG_KERNELS = ("lockdep", "kasan")
TOPOLOGY = pair(rdma="none", leaks=True)
BROKE = "the peer broke the protocol"
PAGE, MIB = 4096, 1 << 20
PROVOKES = 7 * MIB // 2
LENGTH = 64 * 1024


def content(offset, length):
    return b"".join(bytes([(offset + at) // PAGE % 251]) * PAGE for at in range(0, length, PAGE))


def provoke(client, events, name, op):
    """Attach the disk whose server misbehaves like this, provoke the misdeed, and check that I/O succeeds in spite of it."""
    disk = tcp.attach_alone(client, name)
    client.run("udevadm settle")
    if op == "read":
        out = client.run(f"dd if={disk} bs={LENGTH} count=1 iflag=skip_bytes,direct skip={PROVOKES} status=none | sha256sum",
                         timeout=60).out
        assert out.split()[0] == hashlib.sha256(content(PROVOKES, LENGTH)).hexdigest(), (name, out)
    else:
        client.run(f"dd if=/dev/zero of={disk} bs={LENGTH} count=1 oflag=seek_bytes,direct seek={PROVOKES} conv=notrunc status=none",
                   timeout=60)
    events.wait_for(rf"down 10\.0\.0\.1/{name}: .*{BROKE}", timeout=60)
    events.wait_for(rf" up 10\.0\.0\.1/{name}", timeout=60)
    client.run(f"causeway detach 10.0.0.1/{name}", timeout=60)


def scenario(rig):
    server, client = rig.server, rig.client
    host = server.start("causeway-peer tcp-host")
    host.wait_for("listening")
    misdeeds = [line.split() for line in server.run("causeway-peer tcp-host-list").lines]
    assert len(misdeeds) >= 12 and all(re.fullmatch("read|write", op) for _, op in misdeeds), misdeeds
    client.run("modprobe causeway_disk")
    events = causeway.watch(client)
    for name, op in misdeeds:
        provoke(client, events, name, op)
    host.kill()
    host.wait(check=False)
