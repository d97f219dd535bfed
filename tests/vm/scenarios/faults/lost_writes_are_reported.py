# SPDX-License-Identifier: GPL-2.0-or-later
"""If a server lost acknowledged, unflushed writes, every flush fails until an administrator
acknowledges the loss. An orderly restart loses nothing and reports nothing."""
from machine.topology import Disk, pair
from using import causeway

TOPOLOGY = pair(server={"disks": (Disk("store", "256M"),), "keep": ("/etc/causeway", "/var/lib/causeway")})
TIER = "ci"
DIRTY = True

DISK = "/dev/causeway/10.0.0.1/f"
WRITE = f"dd if=/dev/urandom of={DISK} bs=4k count=4 oflag=direct"


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"mkfs.ext4 -q {store} && mkdir -p /srv/store && mount {store} /srv/store && "
               "fallocate -l 64M /srv/store/disk.img && sync", timeout=60)
    server.run("causeway export add f --file /srv/store/disk.img --allow any")
    client.run("causeway attach 10.0.0.1/f")
    events = causeway.watch(client)

    # In an orderly end, the server drains, flushes and notifies the client of the flush.
    client.run(WRITE)
    server.run("causeway stop --force")
    events.wait_for("down", timeout=60)
    server.run("modprobe -r causeway_target && causeway restore", timeout=60)
    events.wait_for("live over", timeout=60)
    client.run(WRITE + " conv=fsync")

    # A power cut with unflushed data is a loss.
    client.run(WRITE)
    server.power_cut()
    events.wait_for("down", timeout=60)
    server.boot()
    server.run(f"mkdir -p /srv/store && mount {store} /srv/store && causeway restore", timeout=60)
    events.wait_for("lost acknowledged writes", timeout=120)
    for _ in range(2):
        client.fails(WRITE + " conv=fsync", "Input/output error")
    client.run(WRITE)
    assert "LOSS" in client.run("causeway list").out
    client.run("causeway acknowledge 10.0.0.1/f")
    client.run(WRITE + " conv=fsync")

    # A power cut with everything flushed is no loss.
    server.power_cut()
    events.wait_for("down", timeout=60)
    server.boot()
    server.run(f"mkdir -p /srv/store && mount {store} /srv/store && causeway restore", timeout=60)
    events.wait_for("live over", timeout=120)
    client.run(WRITE + " conv=fsync")
