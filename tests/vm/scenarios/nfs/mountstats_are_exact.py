# SPDX-License-Identifier: GPL-2.0-or-later
"""The fields of /proc/self/mountstats have the same meaning with our transport as with the
kernel's: chunks, bytes offered and written by RDMA, bytes copied, memory regions allocated. The
tracepoints that docs/NFS.md names exist. Those of a call, a reply and the data of a call occur once
for each call."""
import re
from pathlib import Path

from using import nfs, tracing
from using.mountstats import fields

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"

MIB = 1 << 20
SMALL = 8192
LARGE = 65536       # bytes of a call whose data goes by a chunk, from any server
CALLS = 5
DOCUMENT = Path(__file__).resolve().parents[4] / "docs/NFS.md"


def during(client, command):
    """Run a command; return by how much each field grew."""
    before = fields(client)
    client.run(command)
    return {name: value - before[name] for name, value in fields(client).items()}


def scenario(rig):
    server, client = rig.server, rig.client
    for transport in nfs.CAUSEWAY, nfs.IN_TREE:
        judge(server, client, transport, rig)


def named_events():
    """Return the events that the tables of the document name: patterns of the in-tree events,
    and names of Causeway's."""
    rows = [line.split("|") for line in DOCUMENT.read_text().splitlines() if line.startswith("| `")]
    in_tree = [name for row in rows for name in re.findall(r"`(?:rpcrdma:)?((?:xprtrdma|svcrdma)_[a-z_*]+)`", row[1])]
    causeway = [name for row in rows for name in re.findall(r"`(?:causeway_nfs_server:)?(cwr[cs]_[a-z_]+)`", row[2])]
    assert in_tree and {name[:4] for name in causeway} == {"cwrc", "cwrs"}, (in_tree, causeway)
    return in_tree, causeway


def named_events_are_there(client, transport):
    """Check that the host's transport has the events that the document names; the kernel's own are
    those of Linux 6.1."""
    in_tree, causeway = named_events()
    if transport == nfs.CAUSEWAY:
        patterns = [f"causeway_nfs_{'client' if name[:4] == 'cwrc' else 'server'}/{name}" for name in causeway]
    elif client.rig.kernel_name == "stock":
        patterns = [f"rpcrdma/{pattern}" for pattern in in_tree]
    else:
        return
    tracing.mounted(client)
    missing = client.run(f"cd {tracing.FOLDER}/events && for each in {' '.join(patterns)}; do "
                         "compgen -G $each >/dev/null || echo $each; done").out
    assert not missing, missing


def traced(server, client, command):
    """Run a command; return the events at each end of calls with chunks: name -> texts."""
    tracing.start(client, *(f"causeway_nfs_client/{name}" for name in ("cwrc_sent", "cwrc_reply")))
    tracing.start(server, *(f"causeway_nfs_server/{name}" for name in ("cwrs_call", "cwrs_pull", "cwrs_sent")))
    client.run(command)
    events = tracing.recorded(client) + tracing.recorded(server)
    xids = {event.text.split(" xid ")[1][:10] for event in events
            if event.name == "cwrc_sent" and re.search(r" [1-9]\d* (segments to read|to write$)", event.text)}
    found = {}
    for event in events:
        if event.text.split(" xid ")[1][:10] in xids:
            found.setdefault(event.name, []).append(event.text)
    return found


def each_call_is_traced_once(server, client, big):
    """Check the events of several READs, then of as many WRITEs."""
    found = traced(server, client, f"dd if={big} of=/dev/null bs={LARGE} count={CALLS} iflag=direct")
    assert {name: len(texts) for name, texts in found.items()} == dict.fromkeys(
        ("cwrc_sent", "cwrc_reply", "cwrs_call", "cwrs_sent"), CALLS), found
    assert not any("no call waits" in text for text in found["cwrc_reply"]), found
    assert all(", 0 pulled, 1 write chunks" in text for text in found["cwrs_call"]), found
    found = traced(server, client, f"dd if=/dev/zero of={big} bs={LARGE} count={CALLS} oflag=direct conv=notrunc")
    assert {name: len(texts) for name, texts in found.items()} == dict.fromkeys(
        ("cwrc_sent", "cwrc_reply", "cwrs_pull", "cwrs_call", "cwrs_sent"), CALLS), found
    assert all(f": {LARGE} bytes by" in text for text in found["cwrs_pull"]), found
    assert all(f", {LARGE} pulled, 0 write chunks" in text for text in found["cwrs_call"]), found


def judge(server, client, transport, rig):
    nfs.start(rig, transport)
    nfs.mount(client, "4.2", "rsize=1048576,wsize=1048576")
    big, small = f"{nfs.MOUNTED}/big", f"{nfs.MOUNTED}/small"
    client.run(f"dd if=/dev/zero of={big} bs=1M count=1 oflag=direct && dd if=/dev/zero of={small} bs={SMALL} count=1 oflag=direct")
    named_events_are_there(client, transport)

    grew = during(client, f"dd if=/dev/zero of={big} bs=1M count=4 oflag=direct conv=notrunc")
    assert grew["read_chunks"] >= 4 and not grew["rdma_reply"], (transport, grew)
    grew = during(client, f"dd if={big} of=/dev/null bs=1M count=4 iflag=direct")
    assert grew["rdma_reply"] == 4 * MIB and grew["write_chunks"] >= 4, (transport, grew)
    assert 4 * MIB <= grew["rdma_request"] < 4 * MIB + 65536, (transport, grew)
    # Memory regions are used again.
    assert grew["mrs_allocated"] < 4 and fields(client)["mrs_allocated"] > 0, (transport, grew, fields(client))
    if transport == nfs.CAUSEWAY:       # our messages can carry that much without chunks
        grew = during(client, f"dd if=/dev/zero of={small} bs={SMALL} count=4 oflag=direct conv=notrunc")
        assert 4 * SMALL <= grew["pullup"] < 4 * SMALL + 4096 and not grew["read_chunks"], grew
        grew = during(client, f"dd if={small} of=/dev/null bs={SMALL} count=1 iflag=direct")
        assert SMALL <= grew["fixup"] < SMALL + 4096 and not grew["rdma_reply"], grew
        each_call_is_traced_once(server, client, big)
    shown = fields(client)
    assert shown["bad_replies"] == shown["bad_xids"] == 0, (transport, shown)
    # The transport of Linux also counts a call that waited for memory.
    assert transport == "in-tree" or not shown["failed_marshal"], shown
    nfs.finish(rig)
