# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk that was attached with --path goes on when the path that carries its I/O is lost. path list,
net, metrics and doctor name the path. The paths come back with the disk, by undo and after a stop.
After log set debug, and not before, the kernel's log has each attempt to connect."""
from machine.topology import pair
from using import causeway

TOPOLOGY = pair(links=2)
TIER = "long"
LEAVES = ("attachment", "export")

NAME = "10.0.0.1/m"
BOTH = "--path 10.0.0.1,10.1.0.1 --from 10.0.0.2,10.1.0.2 --policy single"
LIVE = 'causeway_disk_paths_live{server="10.0.0.1",name="m"}'


def paths(client):
    return causeway.answer(client, f"path list {NAME}")["paths"]


def has_both(client):
    """Wait until the disk has both paths, and check their addresses."""
    client.wait_for(f"causeway metrics | grep -qxF '{LIVE} 2'", timeout=60)
    ends = [(path["number"], path["local"], path["peer"], path["device"]) for path in paths(client)]
    assert ends == [(0, "10.0.0.2", "10.0.0.1:4793", "rxe0"), (1, "10.1.0.2", "10.1.0.1:4793", "rxe1")], ends


def attempts(client):
    """Return the messages for debugging about attempts to connect."""
    return [line for line in client.run("dmesg").lines if f"causeway: {NAME}: path 0: connecting to 10.0.0.1:4793" in line]


def levels(client):
    return {each["name"]: (each["level"], each["at_loading"]) for each in causeway.answer(client, "log list")["modules"]}


def findings(client):
    # The rig's machines have other findings too.
    told = causeway.answer(client, "doctor", check=False)["findings"]
    return [each["what"] for each in told if each["id"] == "disk-path-down"]


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 64M --allow any")
    events = causeway.watch(client)
    client.run(f"causeway attach {NAME} {BOTH}")
    has_both(client)
    assert [path["carries_io"] for path in paths(client)] == [True, False]
    assert not findings(client)
    client.run(f"causeway attach {NAME} {BOTH}")
    client.fails(f"causeway attach {NAME} --path 10.1.0.1,10.0.0.1", "the list of paths is 10.0.0.1 from 10.0.0.2, ")

    assert not attempts(client)
    assert levels(client)["causeway"] == ("info", "info"), levels(client)
    said = client.run("causeway -v log set debug 2>&1").out
    assert '- write /proc/dynamic_debug/control: "module causeway +p"\n' in said, said
    assert levels(client)["causeway"] == ("debug", "debug"), levels(client)
    said = client.run("causeway list -v 2>&1 >/dev/null").out
    assert "- netlink: attachment-get\n-   done, after " in said, said

    client.link_down(0)
    events.wait_for(f"path-down {NAME}", timeout=60)
    client.run(f"dd if=/dev/causeway/{NAME} of=/dev/null bs=1M count=1 iflag=direct", timeout=30)
    first, second = paths(client)
    assert first["state"] != "live" and first["reason"], first
    assert second["state"] == "live" and second["carries_io"], second
    shown = client.run("causeway net").out
    assert "path 1: 10.1.0.2 -> 10.1.0.1:4793 by RDMA over rxe1/1, live, carries I/O" in shown, shown
    assert f"{LIVE} 1\n" in client.run("causeway metrics").out
    found = findings(client)
    assert len(found) == 1 and found[0].startswith(f"path 0 of {NAME} to 10.0.0.1:4793 is down: "), found
    client.link_up(0)
    events.wait_for(f"path-up {NAME}", timeout=90)
    has_both(client)
    assert [path["carries_io"] for path in paths(client)] == [False, True]
    assert not findings(client)
    assert attempts(client), client.run("dmesg | grep causeway:").out
    client.run("causeway undo --last")
    assert levels(client)["causeway"] == ("info", "info"), levels(client)

    # A module that is loaded later has the level too.
    client.run("causeway log set debug")
    before = len(attempts(client))
    client.run(f"causeway detach {NAME} && causeway undo --last")
    has_both(client)
    client.run("causeway stop --all && modprobe -r causeway_disk && causeway restore")
    has_both(client)
    assert len(attempts(client)) > before
    client.run("causeway log unset && [ ! -e /etc/modprobe.d/causeway-log.conf ]")
    client.run(f"causeway detach {NAME}")
    server.run("causeway export remove m")
