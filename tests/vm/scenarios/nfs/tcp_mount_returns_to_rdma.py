# SPDX-License-Identifier: GPL-2.0-or-later
"""A server that does not listen by RDMA is mounted by TCP, and the command reports that. remount
moves all its mounts to RDMA when the server listens.

The kernel joins later mounts of that server, by any address, to the client by TCP: a mount that
requires RDMA fails then. While a mount that remount cannot see holds that client, or a mount inside
is in use, remount unmounts nothing."""

from using import causeway, nfs, nfs_home

TOPOLOGY = nfs.TOPOLOGY
TIER = "ci"
LEAVES = ("export", "mount", "file")
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

    told = causeway.answer(client, "nfs mount server:/ /mnt/home -o vers=4.1,hard", timeout=120)
    assert told["transport"] == "tcp" and "refused" in told["reason"], told
    assert "vers=4.1" in client.run("grep ' /mnt/home ' /proc/mounts").out
    client.run("echo by tcp >/mnt/home/file")
    client.run("causeway nfs mount server:/sub /mnt/two -o vers=4.1", timeout=120)
    shown = client.run("causeway net").out
    assert "/mnt/home  TCP" in shown and "RDMA failed: Connection refused" in shown, shown

    # The mount stays while RDMA is not available, and while a file is open.
    client.fails("causeway nfs remount /mnt/home", "/mnt/home, /mnt/two stay as they are: Connection refused")
    server.run(f"rm /etc/exports && causeway nfs serve {HOME} -o no_root_squash,fsid=0 --allow any")
    client.fails("causeway nfs mount server:/ /mnt/three -o vers=4.1 --require rdma",
                 "joined the mount to its client of server .10.0.0.1., which goes by TCP for /mnt/home, /mnt/two")
    client.fails("mount -t nfs-causeway -o vers=4.1,require=rdma,retry=0 server:/ /mnt/three", "remount all of them together")
    client.run("! mountpoint -q /mnt/three")

    # By its other address the kernel finds the same server. It shows the address of the shared
    # client and the source of the shared superblock.
    client.fails("causeway nfs mount [fd00::1]:/ /mnt/three -o vers=4.1 --require rdma", "the same server by another name or address")
    client.run("causeway nfs mount [fd00::1]:/ /mnt/three -o vers=4.1", timeout=120)
    mounted = client.run("grep ' /mnt/three ' /proc/mounts").out
    assert mounted.startswith("server:/ ") and "addr=10.0.0.1" in mounted, mounted
    assert causeway.answer(client, "nfs mount [fd00::1]:/ /mnt/three -o vers=4.1")["changed"] is False
    stays_for_what_is_not_seen(client)
    stays_for_what_is_inside(client)
    stale_records_are_ignored(client)

    reader = client.start("causeway-judge opened /mnt/home/file", has_input=True)
    reader.wait_for("open")
    client.fails("causeway nfs remount /mnt/two", "/mnt/home is busy, used by causeway-judge")
    client.run("mountpoint -q /mnt/home && mountpoint -q /mnt/two")
    assert client.read("/mnt/home/file") == "by tcp\n"
    found = [each for each in causeway.answer(client, "doctor", check=False)["findings"] if each["id"] == "mount-over-tcp"]
    assert len(found) == 1 and "/mnt/home, /mnt/three of server" in found[0]["what"] and "used by causeway-judge" in found[0]["what"], found
    reader.end_input()
    reader.wait()

    said = client.run("causeway nfs remount /mnt/home").out
    assert "by RDMA" in said, said
    assert "/mnt/two is a mount of server (10.0.0.1) too" in said, said
    for directory in ("/mnt/home", "/mnt/two", "/mnt/three"):
        mounted = client.run(f"grep ' {directory} ' /proc/mounts").out
        assert "proto=rdma" in mounted and "vers=4.1" in mounted, mounted
    client.run("causeway nfs umount /mnt/three && causeway nfs mount server:/ /mnt/three -o vers=4.1 --require rdma && causeway nfs umount /mnt/three && causeway nfs umount /mnt/two")
    assert client.read("/mnt/home/file") == "by tcp\n"
    shown = client.run("causeway net").out
    assert "/mnt/home  RDMA  causeway" in shown and "RDMA failed" not in shown, shown
    client.run("! ls -d /run/causeway/nfs/trial-*")

    # Without an RDMA device the command does not even try RDMA.
    client.run("causeway nfs umount /mnt/home && rdma link del rxe0")
    told = causeway.answer(client, "nfs mount server:/ /mnt/home")
    assert told["transport"] == "tcp" and told["reason"] == "this machine has no RDMA device", told
    client.run("causeway nfs umount /mnt/home")


def kept_by_tcp(client, saying):
    """Check that remount fails with these words and unmounts nothing: a new mount would have
    another number."""
    before = client.run("grep '^[0-9].* nfs4 ' /proc/self/mountinfo").out
    client.fails("causeway nfs remount /mnt/home", saying)
    after = client.run("grep '^[0-9].* nfs4 ' /proc/self/mountinfo").out
    assert before == after and "proto=rdma" not in after, (before, after)
    client.run("! ls -d /run/causeway/nfs/trial-*")


def stays_for_what_is_not_seen(client):
    """remount cannot see a mount of another mount namespace, or one that lies below another."""
    seen = client.start("unshare -m --propagation private sh -c 'umount /mnt/three && mount -t nfs -o proto=tcp,vers=4.1,nosharecache "
                        "server:/ /mnt/three && echo mounted && read -r end'", has_input=True)
    seen.wait_for("mounted")
    kept_by_tcp(client, "which goes by TCP and is held by a mount that is not seen here too")
    seen.end_input()
    seen.wait(check=False)
    client.run("mkdir -p /mnt/under && mount -t nfs -o proto=tcp,vers=4.1,nosharecache server:/ /mnt/under && mount -t tmpfs none /mnt/under")
    kept_by_tcp(client, "held by a mount that is not seen here too")
    client.run("umount /mnt/under && umount /mnt/under")


def stays_for_what_is_inside(client):
    """remount also checks the users of a mount that has another one inside, although the kernel
    would report it as busy anyway."""
    client.run("mount -t tmpfs none /mnt/home/sub")
    kept_by_tcp(client, "/mnt/home is busy: /mnt/home/sub is mounted inside")
    client.run("modprobe loop && umount /mnt/home/sub && causeway nfs mount server:/sub /mnt/home/sub -o vers=4.1 && "
               "truncate -s 1M /mnt/home/image && losetup /dev/loop7 /mnt/home/image", timeout=120)
    kept_by_tcp(client, "/mnt/home is busy, used by loop device loop7 of the kernel")
    client.run("losetup -d /dev/loop7 && rm /mnt/home/image && causeway nfs umount /mnt/home/sub")


def stale_records_are_ignored(client):
    """umount(8) and mount(8) do not change the records; the kernel gives the same number to the
    next mount."""
    reason = "grep -c 'refused' /run/causeway/nfs/mnt-two.json"
    assert client.run(reason).lines == ["1"]
    # The age of a superblock is counted in seconds, and other options need another superblock.
    client.wait_for("[ $(($(date +%s) - $(stat -c %Y /run/causeway/nfs/mnt-two.json))) -ge 5 ]", timeout=30)
    client.run("umount /mnt/two && mount -t nfs -o proto=tcp,vers=4.1,rsize=65536 server:/sub /mnt/two")
    told = {each["directory"]: each for each in causeway.answer(client, "net")["nfs"]["mounts"]}
    assert told["/mnt/two"]["reason"] is None and told["/mnt/home"]["reason"], told
