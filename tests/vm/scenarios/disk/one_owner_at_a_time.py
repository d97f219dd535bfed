# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine that answers keeps its disk: the server refuses a clone with its host UUID, and refuses
a second machine an exclusive export. A machine that was paused and replaced meanwhile is refused
for good when it goes on. A takeover waits for its time. The server admits a session only after it
has written the ledger."""
import time

from machine.needs import module
from using import causeway, hold
from machine.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"), Disk("state", "64M"))})
TIER = "long"
REQUIRES = (module("dm_hold"),)

DISK = "/dev/causeway/10.0.0.1/h"
MACHINE_ID = "/etc/machine-id"
SAME = "0123456789abcdef0123456789abcdef"
RETURN = 5              # s: the return time of docs/PROTOCOL.md
TAKEOVER = 12           # s
LATE = 30               # s: no answer takes longer
TRACE = "/sys/kernel/tracing"
SYNC = f"{TRACE}/events/ext4/ext4_sync_file_enter"


def live(client):
    """Check that the client's connection was never lost."""
    connection, = causeway.connections(client)
    assert connection["state"] == "live" and connection["reconnects"] == 0, connection


def took(host, command, refused=""):
    """Run the command; return its duration in seconds by the host's clock."""
    before = host.uptime()
    if refused:
        host.fails(command, refused)
    else:
        host.run(command, timeout=90)
    return host.uptime() - before


def goes_on(client, why):
    """Let the paused client run again, and check that it is refused for good."""
    client.qmp("cont")
    client.wait_for("causeway --json list | grep -q '\"state\": *\"revoked\"'", timeout=90)
    assert client.run(hold.write(DISK, "Z"), check=False).rc != 0
    attachment, = causeway.attachments(client)
    assert why in attachment["reason"], attachment
    client.run("causeway detach 10.0.0.1/h")


def clones(rig, device):
    """Both machines have the same host UUID."""
    server, client = rig.server, rig.client
    server.run(f"causeway export add h --device {device} --allow any")
    client.run(f"causeway attach 10.0.0.1/h && {hold.write(DISK, 'A')}")
    assert took(server, "causeway attach 10.0.0.1/h", "attached already, from 10.0.0.2") < RETURN
    live(client)

    client.qmp("stop")
    assert RETURN - 1 <= took(server, "causeway attach 10.0.0.1/h") < LATE
    server.run(hold.write(DISK, "B"))
    goes_on(client, "another session took the place")
    assert hold.content(server, device) == "B", hold.content(server, device)
    server.run("causeway detach 10.0.0.1/h && causeway export remove h")


def exclusive(rig, device):
    server, client = rig.server, rig.client
    server.run(f"causeway export add h --device {device} --exclusive --takeover-after {TAKEOVER} --allow any")
    client.run(f"causeway attach 10.0.0.1/h && {hold.write(DISK, 'C')}")
    assert took(server, "causeway attach 10.0.0.1/h", "exclusive and attached by client") < RETURN
    live(client)

    client.qmp("stop")
    paused = server.uptime()
    took(server, "causeway attach 10.0.0.1/h", "exclusive")
    assert RETURN - 1 <= server.uptime() - paused < TAKEOVER, "it is absent only after the return time"
    server.wait_for("causeway attach 10.0.0.1/h", timeout=90)
    assert TAKEOVER - 1 <= server.uptime() - paused < TAKEOVER + LATE
    server.run(hold.write(DISK, "D"))
    goes_on(client, "another session took the place")
    assert hold.content(server, device) == "D", hold.content(server, device)
    server.run("causeway detach 10.0.0.1/h && causeway export remove h")


def syncs(rig, deed):
    """Return the number of fsyncs of files on ext4 at the server during deed(). Only the ledger
    causes any."""
    rig.server.run(f"echo > {TRACE}/trace && echo 1 > {SYNC}/enable")
    deed()
    return int(rig.server.run(f"echo 0 > {SYNC}/enable; grep -c ext4_sync_file_enter: {TRACE}/trace || :").out)


def cost(rig):
    """A change of the ledger is two fsyncs. An attach and a detach are one change each."""
    client = rig.client
    counts = {"attach": syncs(rig, lambda: client.run("causeway attach 10.0.0.1/h")),
              "detach": syncs(rig, lambda: client.run("causeway detach 10.0.0.1/h"))}
    rig.say(f"fsyncs of the server: {counts}")
    assert counts == {"attach": 2, "detach": 2}, counts


def slow_ledger(rig, device):
    """The file system with the ledger takes no writes for a while."""
    server, client = rig.server, rig.client
    server.run(f"mkfs.ext4 -q {server.disk('state')} && mkdir -p /srv/state && mount {server.disk('state')} /srv/state")
    server.run(f"causeway export add h --device {device} --state-folder /srv/state --allow any")
    cost(rig)
    server.run("fsfreeze -f /srv/state")
    attach = client.start("causeway attach 10.0.0.1/h")
    client.wait_for("causeway --json net | grep -q 'record of owners'", timeout=60)
    began = time.monotonic()
    client.wait_for("sleep 12; causeway --json net | grep -q 'record of owners'", timeout=60)
    assert attach.running, f"it was given up after {time.monotonic() - began:.0f} s"
    server.run("fsfreeze -u /srv/state")
    attach.wait(timeout=60)
    client.run(hold.write(DISK, "E"))

    # The owner's own session comes back without a write of the ledger.
    events = causeway.watch(client)
    server.run("fsfreeze -f /srv/state")
    client.link_down()
    causeway.wait_lost(client)
    client.link_up()
    events.wait_for("live over", timeout=90)
    client.run(hold.write(DISK, "F"))
    server.run("fsfreeze -u /srv/state")
    client.run("causeway detach 10.0.0.1/h")
    server.run("causeway export remove h && umount /srv/state")


def evictions_among_logins(rig, device):
    """A host logs in, writes and detaches while it is evicted and readmitted. No write of the host
    follows an eviction."""
    server, client = rig.server, rig.client
    server.run(f"causeway export add h --device {device} --allow any")
    client.run("causeway attach 10.0.0.1/h")
    host = causeway.connection(server)["host"]
    client.run("causeway detach 10.0.0.1/h")
    server.run("causeway attach 10.0.0.1/h")
    logins = client.start(f"for (( turn = 1; ; turn++ )); do [ ! -e /tmp/enough ] || exit 0; echo $turn >/tmp/turn; "
                          f"causeway attach 10.0.0.1/h && {hold.write(DISK, 'L')}; causeway detach 10.0.0.1/h --force; done")
    for _ in range(6):
        server.wait_for(f"dd if={device} bs=4k skip={hold.BLOCK} count=1 iflag=direct status=none | grep -q L")
        server.run(f"causeway export evict h --host {host}")
        server.run(hold.write(DISK, "W"))
        turn = int(client.run("cat /tmp/turn").out)
        client.wait_for(f"[ $(cat /tmp/turn) -gt {turn + 1} ]")
        assert hold.content(server, device) == "W", hold.content(server, device)
        server.run(f"causeway export readmit h --host {host}")
    server.run(f"causeway export evict h --host {host} && causeway detach 10.0.0.1/h")
    client.run("touch /tmp/enough")
    logins.wait(timeout=90)
    client.run("rm /tmp/enough; causeway detach 10.0.0.1/h", check=False)
    client.fails("causeway attach 10.0.0.1/h", "evicted")
    server.run(f"causeway export readmit h --host {host}")
    client.run(f"causeway attach 10.0.0.1/h && {hold.write(DISK, 'G')} && causeway detach 10.0.0.1/h")
    assert hold.content(server, device) == "G"
    server.run("causeway export remove h")


def scenario(rig):
    server, client = rig.server, rig.client
    device = server.disk("store")
    exclusive(rig, device)
    slow_ledger(rig, device)
    evictions_among_logins(rig, device)
    own = {host: host.run(f"cat {MACHINE_ID} 2>/dev/null", check=False).out for host in (server, client)}
    try:
        for host in own:
            host.write(MACHINE_ID, SAME + "\n")
        clones(rig, device)
    finally:
        for host, text in own.items():
            host.write(MACHINE_ID, text)
