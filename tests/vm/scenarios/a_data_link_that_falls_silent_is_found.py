# SPDX-License-Identifier: GPL-2.0-or-later
"""One queue pair that hears nothing any more, while all others do, is found by probes and replaced."""
import json
import re

TIER = "ci"
KERNELS = ("stock", "lockdep")
DISK = "/dev/causeway/10.0.0.1/m"
NEVER = 27      # ACK timeout of 9 minutes and seven retries: queue pairs do not tell of a loss by themselves


def connection(client):
    return json.loads(client.run("causeway --json net").out)["connections"][0]


def newest_queue_pair(client):
    """The data link's: it is made after the control link's."""
    lines = [line for line in client.run("rdma resource show qp").lines if " type RC state RTS " in line]
    assert len(lines) == 2, lines
    return max(int(re.search(r" lqpn (\d+)", line).group(1)) for line in lines)


def scenario(rig):
    server, client = rig.server, rig.client
    for host in server, client:
        host.run(f"modprobe causeway && echo {NEVER} > /sys/module/causeway/parameters/ack_timeout")
    server.run("causeway export add m --ram 64M")
    client.run("causeway attach 10.0.0.1/m --queues 1")
    client.run(f"dd if=/dev/urandom of=/tmp/data bs=1M count=2 && dd if=/tmp/data of={DISK} bs=1M oflag=direct")
    events = client.start("causeway watch")
    events.wait_for("watching")

    qp = newest_queue_pair(client)
    client.run("nft add table ip lossy && nft add chain ip lossy in '{ type filter hook prerouting priority -300; }' && "
               f"nft add rule ip lossy in udp dport 4791 @th,104,24 {qp} counter drop")
    read = client.start(f"dd if={DISK} bs=1M count=2 iflag=direct | cmp -n 2097152 /tmp/data -")
    events.wait_for("the server was silent on data link 0", timeout=60)
    read.wait(timeout=60)
    assert connection(client)["reconnects"] == 1
    assert " packets 0 " not in client.run("nft list table ip lossy").out
