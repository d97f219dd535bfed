# SPDX-License-Identifier: GPL-2.0-or-later
"""An orderly shutdown of the server flushes the writes of clients before its disks lose unflushed
data, whether its service is up or not. No client reports a loss, and the content is there after the
boot."""

from machine.needs import module
from using import causeway, write_log
from machine.topology import Disk, pair

KEEP = ("/etc/causeway", "/var/lib/causeway")
TOPOLOGY = pair(server={"init": "systemd", "keep": KEEP, "disks": (Disk("store", "64M"),)},
                client={"init": "systemd", "keep": KEEP})
TIER = "long"
REQUIRES = (module("dm_log_writes"),)
LEAVES = ("device", "export")

DATA, SIZE, LOG, LOG_SIZE = 0, 32768, 65536, 65536      # sectors
DISK = "/dev/causeway/10.0.0.1/d"


def start(server):
    store = server.disk("store")
    server.run(f"modprobe dm_mod; dmsetup create data --table '0 {SIZE} linear {store} {DATA}' && "
               f"dmsetup create log --table '0 {LOG_SIZE} linear {store} {LOG}'")
    write_log.start(server, "logged", "/dev/mapper/data", "/dev/mapper/log")


def scenario(rig):
    server, client = rig.server, rig.client
    start(server)
    server.run("causeway export add d --device /dev/mapper/logged --allow any && systemctl restart causeway.service", timeout=90)
    client.run("causeway attach 10.0.0.1/d")
    events = causeway.watch(client)
    left = None
    for number, (letter, service) in enumerate((("A", "up"), ("B", "down"))):
        if service == "down":
            # The ExecStop of the service ends the exports; they are then added by hand, as after a
            # failure of the service.
            server.run("systemctl stop causeway.service", timeout=90)
            events.wait_for("down", timeout=60)
            server.run("causeway restore", timeout=60)
            events.wait_for("live over", timeout=90)
        assert server.run("systemctl is-active causeway-shutdown.service").out.strip() == "active"
        client.run(write_log.fill(DISK, letter, block=1))
        write_log.settle(server, "logged", "store", LOG)
        server.shutdown()
        events.wait_for("down", timeout=60)
        left = write_log.forget(server, "store", DATA, SIZE, LOG, left)
        server.boot()
        start(server)
        server.run("systemctl restart causeway.service", timeout=90)
        events.wait_for("live over", timeout=120)
        found = write_log.content(client, DISK, block=1)
        assert found == letter, (number, found)
        loss = [each["loss"] for each in causeway.attachments(client)]
        assert loss == [False], loss
    client.run("causeway detach 10.0.0.1/d")
    server.run("causeway stop --force")
