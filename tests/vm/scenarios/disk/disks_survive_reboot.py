# SPDX-License-Identifier: GPL-2.0-or-later
"""Exports and attachments are there again after a reboot of both machines, whichever boots first. A
client shuts down while a program waits without a limit for a server that is gone. "systemctl reload
causeway" applies edited files, and the disk goes on."""

from machine.topology import Disk, pair
from using import causeway

KEEP = ("/etc/causeway", "/var/lib/causeway")
TOPOLOGY = pair(server={"init": "systemd", "keep": KEEP, "disks": (Disk("store", "64M"),)},
                client={"init": "systemd", "keep": KEEP})
TIER = "long"
LEAVES = ("attachment", "export", "file")

DISK = "/dev/causeway/10.0.0.1/"


def scenario(rig):
    server, client = rig.server, rig.client
    for host in (server, client):
        host.run("umask 077; mkdir -p /etc/causeway/keys; echo sesame, as everybody says >/etc/causeway/keys/k")
    server.run(f"causeway export add d --device {server.disk('store')} --write-through --allow 10.0.0.0/24 "
               "--key-file /etc/causeway/keys/k")
    server.run("causeway export add m --ram 16M --exclusive --allow any")
    client.run("causeway attach 10.0.0.1/d --key-file /etc/causeway/keys/k --io-timeout 600 --depth 16")
    client.run("causeway attach 10.0.0.1/m")
    client.run(f"dd if=/dev/urandom of={DISK}d bs=1M count=4 oflag=direct conv=fsync")
    content = client.run(f"dd if={DISK}d bs=1M count=4 iflag=direct status=none | sha256sum").out
    told = exports(server), attachments(client)

    # The client boots first: it tries until the server is there.
    client.shutdown()
    server.shutdown()
    client.boot()
    client.wait_for("causeway --json net | grep -q 'reason\": \"'", timeout=90)
    assert {each["state"] for each in causeway.attachments(client)} != {"live"}
    server.boot()
    client.wait_for(f"[ -b {DISK}d ] && [ -b {DISK}m ]", timeout=120)
    assert (exports(server), attachments(client)) == told, (told, exports(server), attachments(client))
    assert client.run(f"dd if={DISK}d bs=1M count=4 iflag=direct status=none | sha256sum").out == content

    # The server is up before the client boots.
    client.shutdown()
    client.boot()
    client.wait_for(f"[ -b {DISK}d ] && [ -b {DISK}m ]", timeout=120)
    assert (exports(server), attachments(client)) == told, (told, exports(server), attachments(client))
    assert client.run(f"dd if={DISK}d bs=1M count=4 iflag=direct status=none | sha256sum").out == content
    for host in (server, client):
        assert host.run("systemctl is-failed causeway.service || true").out.strip() == "active"

    edited_files(server, client)
    assert client.run(f"dd if={DISK}d bs=1M count=4 iflag=direct status=none | sha256sum").out == content

    server.power_cut()
    client.wait_for("! causeway --json list | grep -q '\"state\": \"live\"'", timeout=90)
    client.start(f"dd if={DISK}m of=/dev/null bs=4k count=1 iflag=direct")
    client.wait_for("grep -qs ' D ' $(printf '/proc/%s/stat ' $(pgrep -x dd))")
    client.shutdown()
    for host in (server, client):
        host.boot()


def edited_files(server, client):
    server.run("sed -i 's,^allow = 10.0.0.0/24$,allow = 10.0.0.0/23,' /etc/causeway/exports.d/d.conf && systemctl reload causeway",
               timeout=60)
    assert [each["allow"] for each in exports(server) if each["name"] == "d"] == [["10.0.0.0/23"]]
    client.run("sed -i 's/^io-timeout = 600$/io-timeout = 601/' /etc/causeway/attachments.d/10.0.0.1:d.conf && systemctl reload causeway",
               timeout=60)
    assert [each["io_timeout"] for each in attachments(client) if each["name"] == "d"] == [601]


def exports(server):
    """Return the configuration that has to survive the reboot."""
    return [{key: each[key] for key in ("name", "path", "size", "read_only", "exclusive", "write_through", "allow", "has_key",
                                        "persistent")}
            | ({"identity": each["identity"]} if each["backend"] != "ram" else {})
            for each in causeway.exports(server)]


def attachments(client):
    return sorted([{key: each[key] for key in ("server", "name", "size", "has_key", "queues", "depth", "io_timeout", "state")}
                   for each in causeway.attachments(client)],
                  key=lambda each: each["name"])
