# SPDX-License-Identifier: GPL-2.0-or-later
"""A call of NFS 3 without a reply is sent again from its first address, even if the rule has
changed. The server recognizes by that address a call that it has already executed."""
from using import nfs

TOPOLOGY = nfs.topology(links=2)
TIER = "long"

RULE = "10.0.0.0/24"
SECOND_WAY = f"{RULE} dev eth1 metric 1000 src 10.1.0.2"    # for packets that are sent from that address


def live(device):
    return f"[ \"$(rdma resource show qp | grep ' type RC .*state RTS' | grep -o 'rxe[0-9]' | xargs)\" = {device} ]"


def scenario(rig):
    server, client = rig.server, rig.client
    for host in (server, client):
        host.run("modprobe causeway ack_timeout=17")
    # The mount has one address of the server, which both links reach.
    server.run("ip addr add 10.0.0.1/32 dev eth1")
    client.run(f"ip route add {SECOND_WAY}")
    nfs.start(rig)
    client.run(f"modprobe causeway_rpcrdma && causeway nfs rule add {RULE} --from 10.0.0.2 --no-persist")
    nfs.mount(client, "3")
    client.run(f"touch {nfs.MOUNTED}/file")
    client.run(live("rxe0"))

    # The client removes a file, and the reply is lost: the server executes the call while the link
    # is down.
    server.run(f"fsfreeze -f {nfs.EXPORTED}")
    removal = client.start(f"exec rm {nfs.MOUNTED}/file")
    server.wait_for("[ $(ps -eo stat,comm | grep -c '^D.* nfsd') -gt 0 ]")
    client.run(f"causeway nfs rule set {RULE} --from 10.1.0.2 --no-persist")
    client.link_down(0)
    server.run(f"fsfreeze -u {nfs.EXPORTED}")
    client.wait_console("the connection was lost", timeout=120)
    client.link_up(0)
    removal.wait(timeout=120)
    server.run(f"[ ! -e {nfs.EXPORTED}/file ]")
    client.run(live("rxe0"))

    # The next connection comes from the address that the rule names.
    nfs.unmount(client)
    nfs.mount(client, "3")
    client.run(f"ls {nfs.MOUNTED}")
    client.run(live("rxe1"))
    nfs.unmount(client)
    client.run(f"causeway nfs rule remove {RULE} --no-persist; ip route del {SECOND_WAY}")
    server.run("ip addr del 10.0.0.1/32 dev eth1")
    nfs.stop(server)
    nfs.free(client, server)
