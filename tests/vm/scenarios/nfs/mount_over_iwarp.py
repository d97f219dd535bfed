# SPDX-License-Identifier: GPL-2.0-or-later
"""Over iWARP each RDMA Read of the server takes a memory region. The server of an NFS mount neither
refuses nor stalls many writers at once."""

from using import causeway, nfs

TOPOLOGY = nfs.topology(rdma="siw")
# Debian's kernel has no siw.
KERNELS = ("kasan",)
TIER = "long"

WRITERS = 64
# The data of RDMA Reads arrives late, so that the Reads for all writers are in progress at once.
SLOW = "tc qdisc replace dev eth0 root netem delay 300ms limit 100000"
FAST = "tc qdisc del dev eth0 root"


def starved(server):
    return int(server.read("/sys/module/causeway_rpcrdma/parameters/server_starved"))


def chunked(server):
    connection, = (each for each in causeway.answer(server, "stat")["nfs"] if each["role"] == "server")
    return connection["counters"]["chunked_writes"]


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.start(rig)
    said = client.run("causeway-peer nfs 10.0.0.1 data-in-pieces", check=False).out.strip()
    assert said == "data-in-pieces: answered", said

    # The calls of version 3 are not bounded by the slots of a session.
    nfs.mount(client, "3")
    assert "siw0" in client.run("causeway net").out
    fio = (f"fio --name=many --directory={nfs.MOUNTED} --direct=1 --ioengine=libaio --rw=write --bs=64k --size=8M --fallocate=none "
           "--verify=crc32c --verify_fatal=1 --minimal")
    client.run(f"{fio} --iodepth=4 >/dev/null", timeout=120)
    before = chunked(server)
    client.run(SLOW)
    client.run(f"{fio} --iodepth={WRITERS} --do_verify=0 >/dev/null", timeout=240)
    client.run(FAST)
    assert chunked(server) - before == 128
    assert starved(server) == 0, starved(server)
    client.run(f"{fio} --iodepth={WRITERS} --verify_only >/dev/null", timeout=120)
    nfs.unmount(client)

    nfs.mount(client, "4.2")
    nfs.judge_data(client, server, operations=30)
    nfs.finish(rig)
