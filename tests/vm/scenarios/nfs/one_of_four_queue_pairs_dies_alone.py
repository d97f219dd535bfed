# SPDX-License-Identifier: GPL-2.0-or-later
"""A mount over four queue pairs loses one under load. The other three stay as they are, nothing is
lost, no call is executed twice, and the client opens a fourth again."""
import re

from using import nfs
from using.mountstats import fields

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"
LONG_KERNELS = ("lockdep",)

QUEUE_PAIRS = 4
READY = "rdma resource show qp | grep ' type RC .*state RTS'"
ALL = f"[ $({READY} | wc -l) = {QUEUE_PAIRS} ]"
ACKNOWLEDGE = 17        # the operation code of the transport header


def scenario(rig):
    server, client = rig.server, rig.client
    # The server detects the loss within four seconds. That timeout is safe here: the messages that
    # the server sends again need no registration of memory, at which rxe of Linux 6.1 fails.
    server.run("modprobe causeway ack_timeout=17")
    nfs.start(rig, client_parameters={"queue_pairs": QUEUE_PAIRS})
    nfs.mount(client, "4.2")
    load = nfs.Load(client)
    client.wait_for(ALL)
    before = queue_pairs(client)
    victim = max(before)
    # The victim gets acknowledgements and no other packet.
    client.run("nft add table ip lossy && nft add chain ip lossy in '{ type filter hook prerouting priority -300; }' && "
               f"nft add rule ip lossy in udp dport 4791 @th,104,24 {victim} @th,64,8 != {ACKNOWLEDGE} counter drop")
    client.wait_for(f"! {READY} | grep -q ' lqpn {victim} '", timeout=120)
    assert " packets 0 " not in client.run("nft list table ip lossy").out
    client.run("nft delete table ip lossy")
    load.goes_on()
    client.wait_for(ALL)
    load.end()
    assert before - {victim} < queue_pairs(client), (before, victim, queue_pairs(client))
    stats = fields(client)
    assert stats["connects"] == 1, stats
    nfs.finish(rig)


def queue_pairs(client):
    return {int(number) for number in re.findall(r" lqpn (\d+)", client.run(READY).out)}
