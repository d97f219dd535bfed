# SPDX-License-Identifier: GPL-2.0-or-later
"""A rule sets the local address from which a mount connects, and outlives the module. Without a
rule, routing sets it. The command shows an address of the server that was changed in sysfs. A rule
with eight dead local addresses does not delay umount and rmmod for long."""

from using import causeway, nfs, nfs_home
from using.resources import NO_NFS_CONNECTIONS

TOPOLOGY = nfs.topology(links=2)
TIER = "long"
LEAVES = ("export", "file")
HOME = nfs_home.HOME
DEAD = tuple(f"10.1.0.{number}" for number in range(101, 109))
DEAD_GID = "ffff:0a01:006c"     # the GID of the last one
ATTEMPT = 10        # seconds to connect from one address


def scenario(rig):
    server, client = rig.server, rig.client
    for host in (server, client):
        nfs.prepare(host)
        host.run("causeway nfs transport causeway")
    nfs_home.make(server)
    server.run(f"rpc.nfsd 4 && causeway nfs serve {HOME} -o no_root_squash,fsid=0 --allow any")
    client.run("mkdir -p /mnt/home")
    assert rail(client) == "10.0.0.2"
    # Each address of the client is on a link of its own, so the server has a route back to each.
    client.run("causeway nfs rule add 10.0.0.0/8 --from 10.0.0.2 && causeway nfs rule add 10.1.0.0/24 --from 10.1.0.2")
    assert rail(client, server.address(1)) == "10.1.0.2"
    shown = client.run("causeway nfs rule list").out
    assert "10.0.0.0/8" in shown and "in force" in shown, shown

    client.wait_for("rmmod causeway_rpcrdma")
    assert "not in force" in client.run("causeway nfs rule list").out
    client.run("causeway restore")
    assert [each["running"] for each in causeway.answer(client, "nfs rule list")["rules"]] == [True, True]
    client.run("causeway nfs rule remove 10.0.0.0/8 && causeway nfs rule remove 10.1.0.0/24")
    assert not causeway.answer(client, "nfs rule list")["rules"]
    client.fails("causeway nfs rule add 10.0.0.0/24 --from fd00::2", "not of one family")

    client.run("causeway nfs mount server:/ /mnt/home --require rdma && "
               f"echo {server.address(1)} >$(echo /sys/kernel/sunrpc/xprt-switches/switch-*/xprt-*-rdma/dstaddr) && "
               "echo y >/mnt/home/file")
    connection, = causeway.nfs_connections(client)
    assert connection["peer"].startswith(server.address(1)) and connection["local"].startswith("10.1.0.2"), connection
    client.run("causeway nfs umount /mnt/home")
    dead_source_addresses(rig, server, client)


def dead_source_addresses(rig, server, client):
    """An attempt to connect from a dead address takes ten seconds. umount and rmmod wait for the
    attempt in progress and for no other one."""
    client.run("".join(f"ip addr add {address}/24 dev eth1 && " for address in DEAD) + f"mount -t nfs -o rdma,vers=3,nolock "
               f"{server.address(1)}:{HOME} /mnt/home")
    server.run("nft add table ip dead && nft add chain ip dead in '{ type filter hook prerouting priority -300; }' && "
               f"nft add rule ip dead in ip saddr {DEAD[0]}-{DEAD[-1]} udp dport 4791 counter drop")
    client.run(f"causeway nfs rule add 10.1.0.0/24 --from {','.join(DEAD)} --no-persist && "
               "rdma link del rxe1 && rdma link add rxe1 type rxe netdev eth1")
    client.wait_for(f"cat /sys/class/infiniband/rxe1/ports/1/gids/* | grep -q '{DEAD_GID}'")
    start = client.console_end()
    hangs = client.start("exec stat -f /mnt/home")
    failed = client.wait_console(r"^\[ *([\d.]+)\].*not connected: connecting took longer", start=start)
    hangs.kill(9)
    hangs.wait(check=False)
    client.run("umount -i -f /mnt/home")
    client.wait_for("rmmod causeway_rpcrdma")
    # The time begins at the kernel's own time of the failure: the next attempt is in progress,
    # however late the scenario reads the line.
    took = client.uptime() - float(failed.group(1))
    rig.say(f"a transport with eight addresses that are dead went after {took:.1f} s")
    assert ATTEMPT / 2 <= took <= 3 * ATTEMPT, took
    assert " packets 0 " not in server.run("nft list table ip dead && nft delete table ip dead").out
    client.run("; ".join(f"ip addr del {address}/24 dev eth1" for address in DEAD))


def rail(client, address="server"):
    """Mount and unmount; return the local address of the mount."""
    client.run(f"causeway nfs mount {address}:/ /mnt/home --require rdma && echo x >/mnt/home/file")
    local = [each["local"] for each in causeway.nfs_connections(client)
             if each["state"] == "live"]
    client.run("causeway nfs umount /mnt/home")
    client.wait_for(NO_NFS_CONNECTIONS)
    assert len(local) == 1, local
    return local[0].rpartition(":")[0]
