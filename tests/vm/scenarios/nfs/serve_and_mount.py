# SPDX-License-Identifier: GPL-2.0-or-later
"""Four commands share a folder of the server with the client, over our transport. Both ends show it
and take it back."""
import json
import re

from using import nfs, nfs_home
from using.resources import NO_NFS_CONNECTIONS

TOPOLOGY = nfs.TOPOLOGY
TIER = "check"
HOME = nfs_home.HOME
CONNECTED = {"state": "live", "transport": "rdma", "carrier": "causeway", "device": "rxe0"}


def scenario(rig):
    server, client = rig.server, rig.client
    for host in (server, client):
        nfs.prepare(host)
        host.run("causeway nfs transport causeway")
    nfs_home.make(server)
    server.run("rpc.nfsd 4")
    server.fails(f"causeway nfs serve {HOME}/none --allow any", "there is no folder")
    leaves_others_alone(server)
    served = number_of(server.run(f"causeway nfs serve {HOME} --to 10.0.0.0/24 -o no_root_squash,fsid=0").out)
    told = net(server)
    assert {"transport": "rdma", "port": 20049, "carrier": "causeway"} in told["listening"], told
    assert not json.loads(server.run(f"causeway --json nfs serve {HOME} --to 10.0.0.0/24 -o no_root_squash,fsid=0").out)["changed"]

    watch = client.start("causeway watch --until nfs-up")
    watch.wait_for("watching")
    said = client.run("mkdir -p /mnt/home && causeway nfs mount server:/ /mnt/home --require rdma --no-persist").out
    mounted = number_of(said)
    assert said == f"server:/ is mounted on /mnt/home by RDMA\ncauseway undo {mounted} takes this back\n", said
    watch.wait()
    client.run("dd if=/dev/urandom of=/tmp/file bs=100001 count=20 && cp /tmp/file /mnt/home && sync -f /mnt/home && "
               "echo 3 >/proc/sys/vm/drop_caches && cmp /tmp/file /mnt/home/file")
    assert server.run(f"sha256sum <{HOME}/file").out == client.run("sha256sum </tmp/file").out

    mine = one(net(client)["connections"], CONNECTED | {"role": "client", "mounts": ["/mnt/home"], "server": "server"})
    theirs = one(net(server)["connections"], CONNECTED | {"role": "server"})
    assert mine["send_inline"] == theirs["receive_inline"] == 16384, (mine, theirs)
    assert mine["receive_inline"] == theirs["send_inline"] == 16384, (mine, theirs)
    for which in ("calls", "replies", "sends", "receives"):
        assert mine["counters"][which] > 0 and theirs["counters"][which] > 0, (which, mine, theirs)
    assert mine["counters"]["malformed"] == theirs["counters"]["malformed"] == 0
    assert "NFS connection" in client.run("causeway stat").out
    assert "/mnt/home  RDMA  causeway  rxe0/1" in client.run("causeway net").out
    assert not json.loads(client.run("causeway --json nfs mount server:/ /mnt/home --no-persist").out)["changed"]

    client.run("causeway nfs umount /mnt/home")
    assert not net(client)["mounts"]
    client.wait_for(NO_NFS_CONNECTIONS)
    undo_takes_back(server, client, served, mounted)
    client.fails("causeway nfs mount server:/ /mnt/home", "denied|No such file")
    server.run("rpc.nfsd 0")
    for host in (server, client):
        host.run("causeway nfs transport in-tree")
        host.run("[ ! -e /etc/modprobe.d/causeway-nfs.conf ]")


def undo_takes_back(server, client, served, mounted):
    """undo reverses the umount, then the end of the export under a client, then the mount, except
    while it is in use, then the export."""
    client.run("causeway undo --last && mountpoint -q /mnt/home && cmp /tmp/file /mnt/home/file")
    before = server.run("exportfs -s").out
    server.run(f"causeway nfs unserve {HOME} && causeway undo --last")
    assert server.run("exportfs -s").out == before
    client.run("echo 3 >/proc/sys/vm/drop_caches && cmp /tmp/file /mnt/home/file")
    reader = client.start("causeway-judge opened /mnt/home/file", has_input=True)
    reader.wait_for("open")
    client.fails(f"causeway undo {mounted}", "/mnt/home is busy, used by causeway-judge.*nothing is undone")
    reader.end_input()
    reader.wait()
    client.run(f"causeway undo {mounted} && ! mountpoint -q /mnt/home")
    client.wait_for(NO_NFS_CONNECTIONS)
    said = server.run(f"causeway undo {served} 2>&1").out
    assert "nfsd listens by RDMA on port 20049 until it is restarted" in said, said
    assert exports(server) == [], exports(server)
    server.run("[ ! -e /etc/nfs.conf.d/causeway.conf ] && ! ls /etc/exports.d/causeway-*")


def number_of(said):
    """Return the number of the journal's entry."""
    return int(re.search(r"^causeway undo (\d+) takes this back$", said, re.MULTILINE).group(1))


def leaves_others_alone(server):
    """An export that was made by hand stays, even if serve would take it over and fails. serve and
    unserve change only the exports of their folder."""
    by_hand, spaced = f"{HOME}/hand 10.0.0.0/24", rf"{HOME}/my\040dir "
    server.run(f"mkdir {HOME}/hand '{HOME}/my dir' && exportfs -o ro 10.0.0.0/24:{HOME}/hand")
    before = server.run("exportfs -s").out
    server.fails(f"causeway nfs serve {HOME}/hand --to 10.0.0.0/24,10.9.0.0/16 -o nonsense", "unknown keyword")
    assert server.run("exportfs -s").out == before
    server.fails(f"causeway nfs serve '{HOME}/my dir' --to 10.0.0.0/24,fd00::/64 -o nonsense", "unknown keyword")
    assert exports(server) == [by_hand], exports(server)
    server.run(f"causeway nfs serve '{HOME}/my dir' --to 10.0.0.0/24,fd00::/64 -o ro")
    assert exports(server) == sorted([by_hand, spaced + "10.0.0.0/24", spaced + "fd00::/64"]), exports(server)
    server.run(f"causeway nfs unserve '{HOME}/my dir'")
    assert exports(server) == [by_hand], exports(server)
    said = server.run(f"causeway nfs serve {HOME}/hand --to 10.0.0.0/24 2>&1").out
    assert f"10.0.0.0/24:{HOME}/hand was exported by exportfs and by no file" in said, said
    server.run(f"causeway nfs unserve {HOME}/hand")
    assert exports(server) == [], exports(server)


def exports(host):
    """Return folder and hosts of each export that is in effect."""
    return sorted(" ".join(line.split("(")[0].split()) for line in host.run("exportfs -s").lines)


def net(host):
    return json.loads(host.run("causeway --json net").out)["nfs"]


def one(connections, wanted):
    """Return the one connection that has these values."""
    found = [each for each in connections if wanted.items() <= each.items()]
    assert len(found) == 1, (wanted, connections)
    return found[0]
