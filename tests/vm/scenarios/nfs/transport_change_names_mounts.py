# SPDX-License-Identifier: GPL-2.0-or-later
"""A change from the in-tree transport to Causeway's and back, at both ends, names the mounts and
services that hold the old one, and the fix that it names works. The kernel's own transport carries
NFS over RDMA if our module is chosen but missing."""

from using import causeway, nfs, nfs_home

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"
LEAVES = ("export", "file")
HOME = nfs_home.HOME


def scenario(rig):
    server, client = rig.server, rig.client
    for host in (server, client):
        nfs.prepare(host)
    nfs_home.make(server)
    server.run(f"rpc.nfsd 4 && causeway nfs serve {HOME} -o no_root_squash,fsid=0 --allow any")
    client.run("mkdir -p /mnt/home && causeway nfs mount server:/ /mnt/home --require rdma && echo word >/mnt/home/file")
    for host in (server, client):
        assert nfs.uses(host, nfs.IN_TREE)
    assert "/mnt/home  RDMA  in-tree" in client.run("causeway net").out
    assert "RDMA 20049 (in-tree)" in server.run("causeway net").out

    told = causeway.answer(client, "nfs transport causeway")
    assert told["loaded"] == "in-tree" and not told["in_effect"] and told["mounts"] == ["/mnt/home"], told
    assert "rpcrdma" in told["warnings"][0] and "causeway nfs remount /mnt/home" in told["warnings"][0], told
    client.fails("causeway nfs rule add 10.0.0.0/24 --from 10.0.0.2", "causeway nfs remount /mnt/home")
    assert client.read("/mnt/home/file") == "word\n"
    client.run("causeway nfs remount /mnt/home")
    assert nfs.uses(client, nfs.CAUSEWAY)
    assert client.read("/mnt/home/file") == "word\n"
    assert causeway.answer(client, "nfs transport")["in_effect"]

    said = server.run("causeway nfs transport causeway 2>&1").out
    assert "nfsd listens through it" in said and "systemctl stop nfs-server" in said, said
    server.run("rpc.nfsd 0")
    server.wait_for("causeway nfs transport causeway && [ ! -e /sys/module/rpcrdma ]", timeout=30)
    server.run(f"rpc.nfsd 4 && causeway nfs serve {HOME} -o no_root_squash,fsid=0 --allow any")
    assert nfs.uses(server, nfs.CAUSEWAY)
    client.run("echo 3 >/proc/sys/vm/drop_caches")
    assert client.run("cat /mnt/home/file", timeout=120).out == "word\n"

    client.run("causeway nfs transport in-tree && causeway nfs remount /mnt/home")
    assert nfs.uses(client, nfs.IN_TREE)
    assert client.read("/mnt/home/file") == "word\n"
    client.run("causeway nfs umount /mnt/home")
    lacks_our_module(client)


def lacks_our_module(client):
    """The kernel requests a module by several names. Each of them loads the other module, and NFS
    goes on."""
    place = client.run("modinfo -n causeway_rpcrdma").lines[0]
    client.run("causeway nfs transport causeway")
    client.run(f"mv {place} /tmp/hidden.ko")
    for name in ("rpcrdma", "rpcrdma6", "xprtrdma", "svcrdma"):
        client.wait_for("[ ! -e /sys/module/rpcrdma ] || rmmod rpcrdma", timeout=30)
        client.run(f"modprobe -- {name} && [ -e /sys/module/rpcrdma ] && [ ! -e /sys/module/causeway_rpcrdma ]")
    client.run("causeway nfs mount server:/ /mnt/home --require rdma", timeout=120)
    assert nfs.uses(client, nfs.IN_TREE)
    assert client.read("/mnt/home/file") == "word\n"
    found = causeway.answer(client, "doctor", check=False)["findings"]
    assert "nfs-transport-not-there" in [each["id"] for each in found], found
    client.run("causeway nfs umount /mnt/home")
    client.wait_for("rmmod rpcrdma", timeout=30)
    client.run(f"mv /tmp/hidden.ko {place}")
    for name in ("rpcrdma", "svcrdma"):
        client.run(f"modprobe -- {name} && [ ! -e /sys/module/rpcrdma ] && rmmod causeway_rpcrdma")
    client.run("causeway nfs transport in-tree")
