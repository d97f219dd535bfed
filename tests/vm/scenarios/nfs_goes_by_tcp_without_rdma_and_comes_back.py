# SPDX-License-Identifier: GPL-2.0-or-later
"""A server that does not listen by RDMA is mounted by TCP, which is said; remount brings all its mounts back when it does.

The kernel joins what is mounted of that server later to the client by TCP: a mount that requires RDMA fails then."""
import json

from rig import nfs, nfs_home

TOPOLOGY = nfs.TOPOLOGY
TIER = "ci"
HOME = nfs_home.HOME


def scenario(rig):
    server, client = rig.server, rig.client
    for host in (server, client):
        nfs.prepare(host)
        host.run("causeway nfs transport causeway")
    nfs_home.make(server)
    server.run(f"echo '{HOME} *(rw,no_root_squash,no_subtree_check,fsid=0)' >/etc/exports && exportfs -ra && rpc.nfsd 4")
    server.run(f"mkdir {HOME}/sub")
    client.run("mkdir -p /mnt/home /mnt/two /mnt/three")
    client.fails("causeway nfs mount server:/ /mnt/home --require rdma", "by RDMA: Connection refused")
    client.run("! mountpoint -q /mnt/home")

    told = json.loads(client.run("causeway --json nfs mount server:/ /mnt/home -o vers=4.1,hard", timeout=120).out)
    assert told["transport"] == "tcp" and "refused" in told["reason"], told
    assert "vers=4.1" in client.run("grep ' /mnt/home ' /proc/mounts").out
    client.run("echo by tcp >/mnt/home/file")
    client.run("causeway nfs mount server:/sub /mnt/two -o vers=4.1", timeout=120)
    shown = client.run("causeway net").out
    assert "/mnt/home  TCP" in shown and "RDMA failed: Connection refused" in shown, shown

    # While there is no RDMA, and while a file is open, it stays.
    client.fails("causeway nfs remount /mnt/home", "/mnt/home, /mnt/two stay as they are: Connection refused")
    server.run(f"rm /etc/exports && causeway nfs serve {HOME} -o no_root_squash,fsid=0 --allow any")
    client.fails("causeway nfs mount server:/ /mnt/three -o vers=4.1 --require rdma",
                 "joined the mount to its client of server .10.0.0.1., which goes by TCP for /mnt/home, /mnt/two")
    client.fails("mount -t nfs-causeway -o vers=4.1,require=rdma,retry=0 server:/ /mnt/three", "remount all of them together")
    client.run("! mountpoint -q /mnt/three")

    reader = client.start("causeway-judge opened /mnt/home/file", has_input=True)
    reader.wait_for("open")
    client.fails("causeway nfs remount /mnt/two", "/mnt/home is busy, used by causeway-judge")
    client.run("mountpoint -q /mnt/home && mountpoint -q /mnt/two")
    assert client.read("/mnt/home/file") == "by tcp\n"
    found = [each for each in json.loads(client.run("causeway --json doctor", check=False).out)["findings"] if each["id"] == "mount-over-tcp"]
    assert len(found) == 1 and "/mnt/home, /mnt/two of server" in found[0]["what"] and "used by causeway-judge" in found[0]["what"], found
    reader.end_input()
    reader.wait()

    said = client.run("causeway nfs remount /mnt/home").out
    assert "by RDMA" in said, said
    assert "/mnt/two is a mount of server (10.0.0.1) too" in said, said
    for directory in ("/mnt/home", "/mnt/two"):
        mounted = client.run(f"grep ' {directory} ' /proc/mounts").out
        assert "proto=rdma" in mounted and "vers=4.1" in mounted, mounted
    client.run("causeway nfs mount server:/ /mnt/three -o vers=4.1 --require rdma && causeway nfs umount /mnt/three && causeway nfs umount /mnt/two")
    assert client.read("/mnt/home/file") == "by tcp\n"
    shown = client.run("causeway net").out
    assert "/mnt/home  RDMA  causeway" in shown and "RDMA failed" not in shown, shown
    client.run("! mountpoint -q /run/causeway/nfs/trial")

    # Without any RDMA device at all there is not even an attempt.
    client.run("causeway nfs umount /mnt/home && rdma link del rxe0")
    told = json.loads(client.run("causeway --json nfs mount server:/ /mnt/home").out)
    assert told["transport"] == "tcp" and told["reason"] == "this machine has no RDMA device", told
    client.run("causeway nfs umount /mnt/home")
