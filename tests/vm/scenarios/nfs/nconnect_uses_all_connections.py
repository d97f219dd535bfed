# SPDX-License-Identifier: GPL-2.0-or-later
"""nconnect=4 makes four connections of NFS 3, and all of them carry calls. Each send queue has room
for as many fragments of a message as the transport uses."""
import re

from machine.needs import module
from using import causeway, nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"
REQUIRES = (module("verbs_count"),)

CONNECTIONS = 4
FRAGMENTS = 2       # the header with the call's head, and the rest


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.start(rig)
    nfs.fill(server)
    client.run("modprobe verbs_count")
    nfs.mount(client, "3", f"nconnect={CONNECTIONS}")
    nfs.judge(client, server, "3")
    # The first call makes each connection, and a repeated attempt makes another queue pair.
    made = {name: int(count) for name, count in
            re.findall(r"^rxe0 (\w+) (\d+)$", client.read("/sys/kernel/debug/verbs_count"), re.M)}
    client.run("rmmod verbs_count")
    assert made["queue_pairs"] >= CONNECTIONS and made["send_sges"] == made["queue_pairs"] * FRAGMENTS, made
    queue_pairs = int(client.run("rdma resource show qp | grep -c ' type RC .*state RTS'").out)
    assert queue_pairs == CONNECTIONS, queue_pairs
    calls = [each["counters"]["calls"] for each in causeway.answer(client, "stat")["nfs"]]
    assert len(calls) == CONNECTIONS and min(calls) >= sum(calls) / CONNECTIONS / 2, calls
    load = nfs.Load(client)
    client.run("rdma link del rxe0", timeout=60)
    client.run("rdma link add rxe0 type rxe netdev eth0")
    load.end()
    nfs.finish(rig)
