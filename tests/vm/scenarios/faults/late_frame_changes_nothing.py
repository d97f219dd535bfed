# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames of an ended connection that arrive late change neither the server's disk nor data that the
client has read, even if the export has another owner by then."""

from machine.needs import module
from using import causeway, hold
from machine.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"),)}, switched=True)
REQUIRES = (module("dm_hold"),)

DISK = "/dev/causeway/10.0.0.1/h"
READ = f"dd if={DISK} bs=4k skip={hold.BLOCK} count=1 iflag=direct status=none | tr -s A-Z && echo"


def full_of(letter):
    """Return the bytes of a frame that carries data of such a block."""
    return letter.encode() * 1000


def arrive(source, target, letter):
    """Release the held frames, which must include data, and wait until all of them have arrived."""
    assert source.frames_held(holding=full_of(letter)), "no frame with data is held"
    source.release_frames()
    # The switch keeps the order of the frames, so a reply to the ping shows that they have arrived.
    source.run(f"ping -c 1 -W 5 {target.address()}")


def reconnected(events):
    events.wait_for("live over", timeout=90)


def write_comes_late(rig, events, store):
    """The client's write is on the wire while the client reconnects, sends it again and writes new
    data."""
    server, client = rig.server, rig.client
    client.hold_frames()
    writer = client.start(f"{hold.write(DISK, 'A')} && {hold.write(DISK, 'B')}")
    client.wait_frames_held(holding=full_of("A"))
    events.wait_for("down", timeout=60)
    client.overtake_frames()
    reconnected(events)
    writer.wait()
    assert hold.content(server, store) == "B"
    arrive(client, server, "A")
    assert hold.content(server, store) == "B"


def read_comes_late(rig, events):
    """The server's data is on the wire while the client reconnects, reads it again and writes new
    data."""
    server, client = rig.server, rig.client
    server.hold_frames()
    reader = client.start(f"{READ} && {hold.write(DISK, 'C')} && {READ}")
    server.wait_frames_held(holding=full_of("B"))
    events.wait_for("down", timeout=60)
    server.overtake_frames()
    reconnected(events)
    assert reader.wait().out.split() == ["B", "C"]
    arrive(server, client, "B")
    assert client.run(READ).out.split() == ["C"]


def owner_changes(rig, store):
    """The client's write is on the wire while another machine attaches the export."""
    server, client = rig.server, rig.client
    client.hold_frames()
    writer = client.start(hold.write(DISK, "D"))
    client.wait_frames_held(holding=full_of("D"))
    connection, = causeway.connections(server)
    client.run("causeway detach 10.0.0.1/h --force")
    assert writer.wait(check=False).rc != 0
    # The switch also holds the client's GOODBYE.
    server.run(f"causeway export evict h --host {connection['host']} && causeway attach 10.0.0.1/h")
    server.run(hold.write(DISK, "E"))
    arrive(client, server, "D")
    assert hold.content(server, store) == "E"
    server.run(f"causeway detach 10.0.0.1/h && causeway export readmit h --host {connection['host']}")


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"causeway export add h --device {store} --exclusive --allow any")
    client.run("causeway attach 10.0.0.1/h")
    events = causeway.watch(client)
    write_comes_late(rig, events, store)
    read_comes_late(rig, events)
    owner_changes(rig, store)
    # The late frames did not disturb later connections either.
    client.run(f"causeway attach 10.0.0.1/h && {hold.write(DISK, 'F')}")
    assert hold.content(server, store) == "F"
    client.run("causeway detach 10.0.0.1/h")
    server.run("causeway export remove h")
