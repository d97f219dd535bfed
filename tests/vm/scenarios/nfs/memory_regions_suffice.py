# SPDX-License-Identifier: GPL-2.0-or-later
"""A server whose adapter reads and writes only by memory regions refuses no call of many writers
and readers."""

from using import causeway, nfs
from using.mountstats import fields

# The RDMA core uses memory regions for all reads and writes.
TOPOLOGY = nfs.topology(server={"cmdline": "ib_core.force_mr=1"})
TIER = "long"

USUAL = 64          # calls at the same time, as many as a client is granted
PIECE = 20480
CALLS = 800


def starved(server):
    return int(server.read("/sys/module/causeway_rpcrdma/parameters/server_starved"))


def chunked(client, kind):
    connection, = causeway.answer(client, "stat")["nfs"]
    return connection["counters"][f"chunked_{kind}"]


def fio(client, depth, how):
    client.run(f"fio --name=many --directory={nfs.MOUNTED} --direct=1 --ioengine=libaio --rw=write --bs={PIECE} --size={PIECE * CALLS} "
               f"--fallocate=none --verify=crc32c --verify_fatal=1 --minimal --iodepth={depth} {how} >/dev/null", timeout=240)


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.start(rig)
    nfs.mount(client, "3")
    fio(client, USUAL, "--do_verify=0")
    fio(client, USUAL, "--verify_only")
    assert chunked(client, "writes") >= CALLS and chunked(client, "reads") >= CALLS
    connects = fields(client)["connects"]
    assert starved(server) == 0 and connects == 1, (starved(server), connects)
    nfs.finish(rig)
