# SPDX-License-Identifier: GPL-2.0-or-later
"""A server that does not listen by RDMA is mounted by TCP, which is said; remount brings it back when it does."""
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
    client.run("mkdir -p /mnt/home")
    client.fails("causeway nfs mount server:/ /mnt/home --require rdma", "by RDMA: Connection refused")
    client.run("! mountpoint -q /mnt/home")

    told = json.loads(client.run("causeway --json nfs mount server:/ /mnt/home -o vers=4.1,hard", timeout=120).out)
    assert told["transport"] == "tcp" and "refused" in told["reason"], told
    assert "vers=4.1" in client.run("grep ' /mnt/home ' /proc/mounts").out
    client.run("echo by tcp >/mnt/home/file")
    shown = client.run("causeway net").out
    assert "/mnt/home  TCP" in shown and "RDMA failed: Connection refused" in shown, shown

    # While there is no RDMA, and while a file is open, it stays.
    client.fails("causeway nfs remount /mnt/home", "stays as it is: Connection refused")
    server.run(f"rm /etc/exports && causeway nfs serve {HOME} -o no_root_squash,fsid=0 --allow any")
    reader = client.start("causeway-judge opened /mnt/home/file", has_input=True)
    reader.wait_for("open")
    client.fails("causeway nfs remount /mnt/home", "busy")
    assert client.read("/mnt/home/file") == "by tcp\n"
    reader.end_input()
    reader.wait()

    said = client.run("causeway nfs remount /mnt/home").out
    assert "by RDMA" in said, said
    mounted = client.run("grep ' /mnt/home ' /proc/mounts").out
    assert "proto=rdma" in mounted and "vers=4.1" in mounted, mounted
    assert client.read("/mnt/home/file") == "by tcp\n"
    shown = client.run("causeway net").out
    assert "/mnt/home  RDMA  causeway" in shown and "RDMA failed" not in shown, shown
    client.run("! mountpoint -q /run/causeway/nfs/trial")

    # Without any RDMA device at all there is not even an attempt.
    client.run("causeway nfs umount /mnt/home && rdma link del rxe0")
    told = json.loads(client.run("causeway --json nfs mount server:/ /mnt/home").out)
    assert told["transport"] == "tcp" and told["reason"] == "this machine has no RDMA device", told
    client.run("causeway nfs umount /mnt/home")
