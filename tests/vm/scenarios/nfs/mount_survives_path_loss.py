# SPDX-License-Identifier: GPL-2.0-or-later
"""A rule gives a mount two local addresses. NFS 4.2 uses the paths of both, and goes on over one
while the other is cut. NFS 3, whose server knows a client by its address, waits for its own path.
No call is executed twice."""
from using import nfs

TOPOLOGY = nfs.topology(links=2)
TIER = "long"

RULE = "10.0.0.0/24"
SECOND_WAY = f"{RULE} dev eth1 metric 1000 src 10.1.0.2"    # for packets that are sent from that address


def live(*devices):
    """Return a condition for wait_for: each of these devices, and no other one, has a queue pair
    that is ready."""
    return f"[ \"$(rdma resource show qp | grep ' type RC .*state RTS' | grep -o 'rxe[0-9]' | xargs)\" = '{' '.join(devices)}' ]"


def scenario(rig):
    server, client = rig.server, rig.client
    # The mount has one address of the server, which both links reach.
    server.run("ip addr add 10.0.0.1/32 dev eth1")
    client.run(f"ip route add {SECOND_WAY}")
    nfs.start(rig)
    client.run(f"modprobe causeway_rpcrdma && causeway nfs rule add {RULE} --from 10.0.0.2,10.1.0.2 --no-persist")

    nfs.mount(client, "4.2")
    load = nfs.Load(client)
    for link in (1, 0):
        client.wait_for(live("rxe0", "rxe1"))
        client.link_down(link)
        client.wait_for(live(f"rxe{1 - link}"), timeout=120)
        load.goes_on()
        client.run(live(f"rxe{1 - link}"))
        client.link_up(link)
    client.wait_for(live("rxe0", "rxe1"))
    load.end()
    nfs.unmount(client)

    nfs.mount(client, "3")
    load = nfs.Load(client)
    client.run(live("rxe0"))
    client.link_down(0)
    client.wait_for(live(), timeout=120)
    client.wait_console("not connected: resolving")
    client.run(live())
    client.link_up(0)
    load.goes_on()
    client.run(live("rxe0"))
    load.end()
    client.run(f"causeway nfs rule remove {RULE} --no-persist; ip route del {SECOND_WAY}")
    server.run("ip addr del 10.0.0.1/32 dev eth1")
    nfs.finish(rig)
