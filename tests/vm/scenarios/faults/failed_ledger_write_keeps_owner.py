# SPDX-License-Identifier: GPL-2.0-or-later
"""The disk with the ledger fails while its export runs. The owner goes on, the server admits no new
host, it reports that an eviction is not done, and doctor reports the reason. Everything works again
when that disk is back."""

from machine.needs import module
from using import causeway, hold
from machine.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"), Disk("state", "64M"))})
TIER = "long"
REQUIRES = (module("dm_hold"),)

STATE = "/srv/state"
MAPPED = "/dev/mapper/state"
DISK = "/dev/causeway/10.0.0.1/h"


def switch(server, kind):
    """Make the disk with the ledger fail ("error") or work again ("linear")."""
    sectors = f"$(blockdev --getsz {server.disk('state')})"
    table = f"0 {sectors} error" if kind == "error" else f"0 {sectors} linear {server.disk('state')} 0"
    server.run(f"dmsetup suspend --noflush --nolockfs state && dmsetup reload state --table \"{table}\" && dmsetup resume state")


def scenario(rig):
    server, client = rig.server, rig.client
    state, store = server.disk("state"), server.disk("store")
    server.run(f"modprobe dm_mod && dmsetup create state --table \"0 $(blockdev --getsz {state}) linear {state} 0\" && "
               f"mkfs.ext4 -q {MAPPED} && mkdir -p {STATE} && mount {MAPPED} {STATE}")
    server.run(f"causeway export add h --device {store} --state-folder {STATE} --allow any")
    client.run(f"causeway attach 10.0.0.1/h && {hold.write(DISK, 'A')}")
    host = causeway.connection(server)["host"]

    switch(server, "error")
    server.fails("causeway attach 10.0.0.1/h", "(?i)ledger|record of owners")
    assert "NOT fenced" in server.fails(f"causeway export evict h --host {host}").out
    client.run(hold.write(DISK, "B"))
    doctor = server.run("causeway --json doctor", check=False).out
    assert "ledger-unwritable" in doctor and STATE in doctor, doctor

    # The file system has failed for good: it is mounted anew when its disk is back, and the exports
    # are restored.
    switch(server, "linear")
    server.run(f"causeway stop --force && umount {STATE} && mount {MAPPED} {STATE} && causeway restore")
    client.run(hold.write(DISK, "C"))
    assert hold.content(server, store) == "C"
    server.run("causeway attach 10.0.0.1/h && causeway detach 10.0.0.1/h")
    server.run(f"causeway export evict h --host {host}")
    assert client.run(hold.write(DISK, "D"), check=False).rc != 0
    assert hold.content(server, store) == "C"
    client.run("causeway detach 10.0.0.1/h --force", check=False)
    server.run(f"causeway export remove h && umount {STATE} && dmsetup remove state")
