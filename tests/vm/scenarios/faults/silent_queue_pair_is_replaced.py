# SPDX-License-Identifier: GPL-2.0-or-later
"""Probes detect a queue pair that receives nothing while all others do, and the session replaces
it."""
import json

from using import causeway

TIER = "ci"
LONG_KERNELS = ("lockdep",)
LEAVES = ("attachment", "export")
DISK = "/dev/causeway/10.0.0.1/m"
NEVER = 27      # ACK timeout of 9 minutes and seven retries: queue pairs do not report a loss by themselves


def sent(client):
    """Return the current packet number of each connected queue pair."""
    pairs = {each["lqpn"]: each["sq-psn"] for each in json.loads(client.run("rdma -j resource show qp").out) if each["type"] == "RC"}
    assert len(pairs) == 2, pairs
    return pairs


def busiest_queue_pair(before, after):
    """Return the queue pair of the data link, which sent most packets in between."""
    return max(before, key=lambda number: (after[number] - before[number]) % (1 << 24))


def scenario(rig):
    server, client = rig.server, rig.client
    for host in server, client:
        host.run(f"modprobe causeway && echo {NEVER} > /sys/module/causeway/parameters/ack_timeout")
    server.run("causeway export add m --ram 64M --allow any")
    client.run("causeway attach 10.0.0.1/m --queues 1")
    before = sent(client)
    # Each small write is a packet of the data link. The control link sends fewer packets meanwhile,
    # however slow the machine is.
    client.run(f"dd if=/dev/urandom of=/tmp/data bs=1M count=2 && dd if=/tmp/data of={DISK} bs=4k oflag=direct")
    after = sent(client)
    events = causeway.watch(client)

    qp = busiest_queue_pair(before, after)
    client.run("nft add table ip lossy && nft add chain ip lossy in '{ type filter hook prerouting priority -300; }' && "
               f"nft add rule ip lossy in udp dport 4791 @th,104,24 {qp} counter drop")
    read = client.start(f"dd if={DISK} bs=1M count=2 iflag=direct | cmp -n 2097152 /tmp/data -")
    events.wait_for("the server was silent on data link 0", timeout=60)
    read.wait(timeout=60)
    assert causeway.connection(client)["reconnects"] == 1
    assert " packets 0 " not in client.run("nft list table ip lossy").out
