# SPDX-License-Identifier: GPL-2.0-or-later
"""mount -t nfs-causeway and a line of fstab mount by RDMA, or by TCP if RDMA is not available, and
keep their options. With bg the mount waits for the server."""
from using import nfs, nfs_home

TOPOLOGY = nfs.TOPOLOGY
TIER = "ci"
LEAVES = ("export", "file")
HOME = nfs_home.HOME


def scenario(rig):
    server, client = rig.server, rig.client
    for host in (server, client):
        nfs.prepare(host)
        host.run("causeway nfs transport causeway")
    nfs_home.make(server)
    server.run(f"rpc.nfsd 4 && causeway nfs serve {HOME} -o no_root_squash,fsid=0 --port 20050 --allow any")
    client.run("mkdir -p /mnt/a /mnt/b && echo 'server:/ /mnt/a nfs-causeway _netdev,nofail,ro,vers=4.2,port=20050 0 0' >>/etc/fstab")
    client.run("mount /mnt/a")
    assert options(client, "/mnt/a") >= {"proto=rdma", "port=20050", "vers=4.2", "ro"}, options(client, "/mnt/a")
    client.fails("touch /mnt/a/x", "Read-only")
    client.run("mount -o remount,rw /mnt/a && touch /mnt/a/x && rm /mnt/a/x")
    assert options(client, "/mnt/a") >= {"proto=rdma", "port=20050", "vers=4.2", "rw"}, options(client, "/mnt/a")
    client.fails("mount -t nfs-causeway -o require=rdma,rdma-timeout=30,retry=0 server:/ /mnt/b", "refused")
    client.fails("mount -t nfs-causeway -o proto=tcp server:/ /mnt/b", "chooses a transport")
    # No server listens on the usual port. A client object that is connected by RDMA already would stay with RDMA.
    client.run("umount /mnt/a")
    said = client.run("mount -t nfs-causeway server:/ /mnt/b 2>&1", timeout=120).out
    assert "/mnt/b goes by TCP, RDMA failed" in said, said
    assert "proto=tcp" in options(client, "/mnt/b")
    client.run("umount /mnt/b && sed -i /nfs-causeway/d /etc/fstab")

    # The first attempt fails in the foreground. The attempts in the background succeed when the
    # server is there.
    server.run("rpc.nfsd 0")
    said = client.run("mount -t nfs-causeway -o bg,require=rdma,port=20050,rdma-timeout=30 server:/ /mnt/b 2>&1").out
    assert "not mounted yet" in said, said
    client.run("! mountpoint -q /mnt/b")
    server.run(f"rpc.nfsd 4 && causeway nfs serve {HOME} -o no_root_squash,fsid=0 --port 20050 --allow any")
    client.wait_for("mountpoint -q /mnt/b", timeout=180)
    assert options(client, "/mnt/b") >= {"proto=rdma", "port=20050"}, options(client, "/mnt/b")
    client.run("umount /mnt/b")


def options(client, directory):
    """Return the options of the mount at this folder."""
    return set(client.run(f"grep ' {directory} ' /proc/mounts").out.split()[3].split(","))
