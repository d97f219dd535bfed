# SPDX-License-Identifier: GPL-2.0-or-later
"""Connections of one address that have not logged in share 16 places, and each may have a few
messages waiting. Sessions go on, and a host of another address that had a session logs in. The
places are free again when the connections end. The metrics count each connection that got no
place."""

from machine.needs import module
from using import causeway, limits
from using.resources import RESOURCES

TIER = "ci"
REQUIRES = (module("brd"),)
LEAVES = ("attachment", "export")
DISK = "/dev/causeway/10.0.0.1/m"
CAP = 16
LOGIN_MS = "/sys/module/causeway/parameters/login_ms"
MALFORMED = "/sys/module/causeway/parameters/malformed"


def scenario(rig):
    server, client = rig.server, rig.client
    # The connections hold their places for as long as this scenario runs.
    server.run("modprobe causeway login_ms=300000")
    server.run("causeway export add m --ram 16M --allow any && causeway export add n --ram 16M --allow any")
    client.run("causeway attach 10.0.0.1/m")
    resources = server.run(RESOURCES).out.strip()
    # The server's own address now has had a session, like the client's.
    server.run("causeway-peer 10.0.0.1 m honest")
    strangers = client.start(f"causeway-peer 10.0.0.1 m strangers {CAP}", has_input=True)
    strangers.wait_for(f"held {CAP}, then rejected: limit", timeout=60)
    client.run(f"dd if=/dev/zero of={DISK} bs=64k count=16 oflag=direct")
    assert server.run("causeway-peer 10.0.0.1 m honest").out.strip() == "honest: served"
    assert limits.met(server)["strangers"] == 1
    client.fails("causeway attach 10.0.0.1/n", "limit of connections")
    assert limits.met(server)["strangers"] == 2
    strangers.end_input()
    strangers.wait(timeout=60)
    server.wait_for(f"[ \"$({RESOURCES})\" = '{resources}' ]", timeout=30)
    client.run("causeway attach 10.0.0.1/n")
    client.run("causeway-peer 10.0.0.1 m honest")
    for session in causeway.connections(client):
        assert session["state"] == "live" and session["reconnects"] == 0, session
    # An invalid time for a login is taken as the shortest one.
    server.write(LOGIN_MS, "0")
    assert client.run("causeway-peer 10.0.0.1 m honest").out.strip() == "honest: served"
    server.write(LOGIN_MS, "300000")
    judge_what_comes_behind_a_fence(server, client)


def judge_what_comes_behind_a_fence(server, client):
    """A message out of order also ends a login that waits for a disk without an answer."""
    server.run("modprobe dm_mod; modprobe brd rd_nr=1 rd_size=16384 && dmsetup create slow --table '0 32768 linear /dev/ram0 0' && "
               "causeway export add slow --device /dev/mapper/slow --allow any && dmsetup suspend slow")
    before = int(server.read(MALFORMED))
    assert client.run("causeway-peer 10.0.0.1 slow discover-behind-a-fence", timeout=60).out.strip() == \
        "discover-behind-a-fence: closed"
    server.run("dmsetup resume slow")
    server.wait_for(f"[ $(cat {MALFORMED}) = {before + 1} ]")
    server.run("causeway export remove slow && dmsetup remove slow && modprobe -r brd")
