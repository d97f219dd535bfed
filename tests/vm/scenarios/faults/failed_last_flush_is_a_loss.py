# SPDX-License-Identifier: GPL-2.0-or-later
"""An export whose disk could not be flushed when it was removed or stopped has lost writes. Its
clients report the loss when the export is back; clients of other exports report nothing."""

from machine.needs import module
from machine.topology import Disk, pair
from using import causeway

TOPOLOGY = pair(server={"disks": (Disk("bad", "64M"), Disk("good", "64M"))})
TIER = "ci"
REQUIRES = (module("dm_flakey"),)

AT = "/dev/causeway/10.0.0.1/"
WRITE = f"dd if=/dev/urandom of={AT}{{}} bs=4k count=4 oflag=direct status=none"


def losses(client):
    return {each["name"]: each["loss"] for each in causeway.attachments(client)}


def scenario(rig):
    server, client = rig.server, rig.client
    bad, good = server.disk("bad"), server.disk("good")
    works, fails = f"0 131072 linear {bad} 0", f"0 131072 flakey {bad} 0 0 3600 1 error_writes"
    server.run(f"modprobe -a dm_mod dm_flakey; dmsetup create bad --table '{works}'")
    server.run(f"causeway export add good --device {good} --allow any && causeway export add bad --device /dev/mapper/bad --allow any")
    uuid = next(each["identity"] for each in causeway.exports(server)
                if each["name"] == "bad")
    for name in ("good", "bad"):
        client.run(f"causeway attach 10.0.0.1/{name}")
    events = causeway.watch(client)

    def end(command):
        """End the export while its disk cannot be flushed; afterwards the disk works again."""
        server.run(f"dmsetup suspend --noflush bad && dmsetup reload bad --table '{fails}' && dmsetup resume bad")
        said = server.run(command, check=False)
        server.run(f"dmsetup suspend bad && dmsetup reload bad --table '{works}' && dmsetup resume bad")
        return said

    # The export ends by removal, twice, while the server goes on with the other export.
    for _ in range(2):
        for name in ("good", "bad"):
            client.run(WRITE.format(name))
        end("causeway export remove bad --force")
        events.wait_for("down 10.0.0.1/bad", timeout=60)
        server.run(f"causeway export add bad --device /dev/mapper/bad --uuid {uuid} --allow any")
        events.wait_for("lost acknowledged writes", timeout=60)
        assert losses(client) == {"good": False, "bad": True}, losses(client)
        client.fails(WRITE.format("bad") + " conv=fsync", "Input/output error")
        client.run("causeway acknowledge 10.0.0.1/bad")
        client.run(WRITE.format("bad") + " conv=fsync")

    # The client of the other export returns to the same run of that export.
    client.run(WRITE.format("good"))
    client.link_down()
    events.wait_for("down", timeout=60)
    client.link_up()
    for _ in range(2):
        events.wait_for("live over", timeout=90)
    assert losses(client) == {"good": False, "bad": False}, losses(client)

    # Both exports end by a stop: the good disk was flushed, and its client is notified of the
    # flush.
    for name in ("good", "bad"):
        client.run(WRITE.format(name))
    assert end("causeway stop --force").rc != 0
    server.run("causeway restore")
    events.wait_for("lost acknowledged writes", timeout=90)
    client.wait_for("! causeway --json list | grep -q '\"state\": \"held\"'", timeout=60)
    assert losses(client) == {"good": False, "bad": True}, losses(client)
    client.run("causeway acknowledge 10.0.0.1/bad && udevadm settle && causeway detach --all")
    server.run("causeway export remove bad && causeway export remove good && dmsetup remove bad")
