# SPDX-License-Identifier: GPL-2.0-or-later
"""undo restores exports and attachments as they were: the same disk with its content, files and
settings."""
import json

from machine.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("data", "64M"),)})
LEAVES = ("export",)
DISK = "/dev/causeway/10.0.0.1/x"
FILES = "find /etc/causeway -type f ! -name '.*' -exec sha256sum {} + 2>/dev/null | sort || true"


def exports(server):
    return {each["name"]: each for each in json.loads(server.run("causeway --json export list").out)["exports"]}


def attachments(client):
    keys = ("server", "name", "queues", "depth", "io_timeout", "fast_fail", "identity")
    return [{key: each[key] for key in keys} for each in json.loads(client.run("causeway --json list").out)["attachments"]]


def scenario(rig):
    server, client = rig.server, rig.client
    server_files, client_files = server.run(FILES).out, client.run(FILES).out
    data = server.disk("data")
    add = f"causeway export add x --device {data} --exclusive --allow 10.0.0.0/24 fd00::/16"

    # undo takes back an added export.
    said = server.run(add).out
    assert f"'x' exports device {data}\ncauseway undo " in said, said
    assert "would end the export 'x'" in server.run("causeway undo --last --dry-run").out
    again = server.run("causeway undo --last").out
    assert exports(server) == {} and server.run(FILES).out == server_files
    uuid = again.split("--uuid ")[1].split()[0]
    server.run(f"{add} --uuid {uuid}")
    added, added_files = exports(server)["x"], server.run(FILES).out
    assert added["identity"] == uuid, added

    # undo takes back an attached disk. The standard output of attach has the path alone. A disk
    # that a program has open stays.
    assert client.run("causeway attach 10.0.0.1/x --queues 1 --fast-fail off 2>/dev/null").out == DISK + "\n"
    client.run(f"dd if=/dev/urandom of=/tmp/data bs=1M count=4 status=none && dd if=/tmp/data of={DISK} bs=1M oflag=direct status=none")
    attached, attached_files = attachments(client), client.run(FILES).out
    server.fails("causeway undo --last", "(?s)clients are connected.*undo .* --force")
    client.run(f"exec 7<{DISK}; ! causeway undo --last 2>/tmp/said && grep -q 'cannot detach.*nothing is undone' /tmp/said")
    assert attachments(client) == attached
    client.run("causeway undo --last")
    assert attachments(client) == [] and client.run(FILES).out == client_files

    # undo takes back the detach of a disk.
    client.run("causeway attach 10.0.0.1/x --queues 1 --fast-fail off")
    client.run("causeway detach 10.0.0.1/x")
    assert attachments(client) == []
    client.run("causeway undo --last")
    assert attachments(client) == attached and client.run(FILES).out == attached_files
    client.run(f"udevadm settle; cmp -n 4M /tmp/data {DISK}")

    # undo takes back the removal of an export while a client has the disk: the client goes on with
    # the same disk.
    server.run("causeway export remove x --force")
    assert exports(server) == {} and server.run(FILES).out == server_files
    server.run("causeway undo --last")
    back = exports(server)["x"]
    for key in ("identity", "ledger", "exclusive", "allow", "path", "persistent"):
        assert back[key] == added[key], (key, back[key], added[key])
    assert server.run(FILES).out == added_files
    client.run("causeway detach 10.0.0.1/x --force; causeway attach 10.0.0.1/x --queues 1 --fast-fail off", timeout=60)
    client.run(f"udevadm settle; cmp -n 4M /tmp/data {DISK}")

    # The content of a memory disk is gone, and undo reports that. An attachment that is interrupted leaves nothing.
    client.run("causeway detach 10.0.0.1/x")
    server.run("causeway export remove x && causeway export add m --ram 16M --allow any && causeway export remove m")
    assert "the content of the memory disk 'm' is gone" in server.run("causeway undo --last 2>&1").out
    before = client.run(FILES).out
    client.run("timeout -s INT 1 causeway attach 10.0.0.9/m; [ $? = 124 ]", timeout=60)
    assert client.run(FILES).out == before, client.run(FILES).out
    client.wait_for("! causeway --json list | grep -q 10.0.0.9")
    assert "change-unfinished" not in client.run("causeway doctor; true").out
