# SPDX-License-Identifier: GPL-2.0-or-later
"""The server holds memory as its clients need it, within bounds: for fetched data, for a
connection, and for all together."""
import re

from using import causeway, nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"

MIB = 1024          # KiB
PARAMETERS = "/sys/module/causeway_rpcrdma/parameters"
TRACING = "/sys/kernel/tracing"
FETCHED = 2048      # pages of one connection: 8 MiB
STRANGERS = 48
ONE_MORE = "causeway-peer nfs 10.0.0.1 strangers 1 </dev/null"
FIO = f"fio --directory={nfs.MOUNTED} --direct=1 --ioengine=libaio --fallocate=none --minimal"


def value(server, name):
    return int(server.read(f"{PARAMETERS}/server_{name}"))


def credits(server):
    connection, = causeway.nfs_connections(server)
    return connection["credits"]


def available(server):
    """Return the KiB that are available when nothing is cached."""
    server.run("sync && echo 3 >/proc/sys/vm/drop_caches")
    return int(re.search(r"MemAvailable: +(\d+)", server.read("/proc/meminfo")).group(1))


def fetched_data_is_bounded(server, client):
    """Calls whose data would exceed the bound wait; all of them are served."""
    server.run(f"{{ mountpoint -q {TRACING} || mount -t tracefs tracefs {TRACING}; }} && cd {TRACING} && echo 16384 >buffer_size_kb && "
               "echo 1 >events/causeway_nfs_server/cwrs_pull/enable && echo 1 >events/causeway_nfs_server/cwrs_parked/enable")
    # All calls arrive before the first answer to an RDMA Read.
    client.run("tc qdisc replace dev eth0 root netem delay 300ms limit 100000")
    client.run(f"{FIO} --name=much --rw=write --bs=1M --size=32M --iodepth=32 --verify=crc32c --do_verify=0 >/dev/null", timeout=240)
    client.run("tc qdisc del dev eth0 root")
    trace = server.read(f"{TRACING}/trace")
    server.run(f"echo 0 >{TRACING}/events/enable")
    held = [int(pages) for pages in re.findall(r"cwrs_pull: .* (\d+) pages in all", trace)]
    assert len(held) == 32, len(held)
    assert FETCHED - 256 < max(held) <= FETCHED, max(held)
    assert "cwrs_parked:" in trace and value(server, "parked") > 0
    client.run(f"{FIO} --name=much --rw=write --bs=1M --size=32M --iodepth=4 --verify=crc32c --verify_only >/dev/null", timeout=120)


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.choose(server, nfs.CAUSEWAY)
    nfs.choose(client, nfs.CAUSEWAY)
    server.run("echo 1048576 >/proc/fs/nfsd/max_block_size")
    nfs.serve(server)

    # These clients connect and send nothing.
    before = available(server)
    strangers = client.start(f"causeway-peer nfs 10.0.0.1 strangers {STRANGERS}", has_input=True)
    strangers.wait_for("connected", timeout=120)
    each, counted = (before - available(server)) / STRANGERS, value(server, "memory_used") / STRANGERS
    server.rig.say(f"{STRANGERS} clients with nothing to say: {each:.0f} KiB each, {counted:.0f} KiB of them counted")
    assert 256 <= counted <= 320, counted
    assert each < 1.1 * MIB, each
    strangers.end_input()
    strangers.wait()
    server.wait_for(f"[ $(cat {PARAMETERS}/server_memory_used) = 0 ]", timeout=60)

    # A busy client gets the memory that it needs. The parameter sets how often the server looks for
    # memory that a client no longer needs.
    server.run(f"echo 10 >{PARAMETERS}/server_keepalive")
    nfs.mount(client, "3")
    assert credits(server) < 64, credits(server)
    fetched_data_is_bounded(server, client)
    client.run(f"{FIO} --name=small --rw=randwrite --bs=4k --size=1M --iodepth=64 --number_ios=1000 >/dev/null", timeout=120)
    assert credits(server) == 64, credits(server)
    # 64 receives of 16 KiB and a few answers stay; memory that is no longer needed is freed.
    server.wait_for(f"[ $(cat {PARAMETERS}/server_memory_used) -le {MIB + 256} ]", timeout=60)
    assert value(server, "memory_used") >= MIB

    # The bound of all connections together.
    server.run(f"echo 1 >{PARAMETERS}/server_memory")
    said = client.run(f"{ONE_MORE} || :").out
    assert "rejected" in said, said
    assert value(server, "refused") == 1, value(server, "refused")
    client.run(f"{FIO} --name=more --rw=write --bs=256k --size=8M --iodepth=8 --verify=crc32c --verify_fatal=1 >/dev/null", timeout=120)
    server.run(f"echo 0 >{PARAMETERS}/server_memory")
    said = client.run(ONE_MORE).out
    assert said == "connected\nstrangers: left\n", said
    nfs.unmount(client)

    # The bound of an administrator.
    server.run("echo 4 >/proc/sys/sunrpc/svc_rdma/max_requests")
    assert server.read(f"{PARAMETERS}/server_credits") == "4\n"
    nfs.free(client)
    nfs.choose(client, nfs.CAUSEWAY)
    nfs.mount(client, "3")
    client.run(f"{FIO} --name=small --rw=randwrite --bs=4k --size=1M --iodepth=64 --number_ios=1000 >/dev/null", timeout=120)
    assert credits(server) == 4, credits(server)
    waits, = (each["counters"]["credit_waits"] for each in causeway.answer(client, "stat")["nfs"])
    assert waits > 0
    nfs.finish(rig)
