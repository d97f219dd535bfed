# SPDX-License-Identifier: GPL-2.0-or-later
"""The fields of /proc/self/mountstats mean with our transport what they mean with the kernel's: chunks, bytes offered and written
by RDMA, bytes copied, memory regions allocated."""
from rig import nfs
from rig.mountstats import fields

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"

MIB = 1 << 20
SMALL = 8192


def during(client, command):
    """By how much each field grew."""
    before = fields(client)
    client.run(command)
    return {name: value - before[name] for name, value in fields(client).items()}


def scenario(rig):
    server, client = rig.server, rig.client
    for transport in nfs.OURS, nfs.IN_TREE:
        judge(server, client, transport, rig)


def judge(server, client, transport, rig):
    nfs.start(rig, transport)
    nfs.mount(client, "4.2", "rsize=1048576,wsize=1048576")
    big, small = f"{nfs.MOUNTED}/big", f"{nfs.MOUNTED}/small"
    client.run(f"dd if=/dev/zero of={big} bs=1M count=1 oflag=direct && dd if=/dev/zero of={small} bs={SMALL} count=1 oflag=direct")
    ours = transport == nfs.OURS

    grew = during(client, f"dd if=/dev/zero of={big} bs=1M count=4 oflag=direct conv=notrunc")
    assert grew["read_chunks"] >= 4 and not grew["rdma_reply"], (transport, grew)
    grew = during(client, f"dd if={big} of=/dev/null bs=1M count=4 iflag=direct")
    assert grew["rdma_reply"] == 4 * MIB and grew["write_chunks"] >= 4, (transport, grew)
    assert 4 * MIB <= grew["rdma_request"] < 4 * MIB + 65536, (transport, grew)
    # Memory regions are used again.
    assert grew["mrs_allocated"] < 4 and fields(client)["mrs_allocated"] > 0, (transport, grew, fields(client))
    if ours:        # whose messages hold as much without chunks
        grew = during(client, f"dd if=/dev/zero of={small} bs={SMALL} count=4 oflag=direct conv=notrunc")
        assert 4 * SMALL <= grew["pullup"] < 4 * SMALL + 4096 and not grew["read_chunks"], grew
        grew = during(client, f"dd if={small} of=/dev/null bs={SMALL} count=1 iflag=direct")
        assert SMALL <= grew["fixup"] < SMALL + 4096 and not grew["rdma_reply"], grew
    shown = fields(client)
    assert shown["bad_replies"] == shown["bad_xids"] == 0, (transport, shown)
    # The transport of Linux counts a call that waited for memory too.
    assert transport == "in-tree" or not shown["failed_marshal"], shown
    nfs.finish(rig)
