# SPDX-License-Identifier: GPL-2.0-or-later
"""A memory disk is attached, verified by fio with several block sizes and depths, and detached.
Requests of up to 16 KiB need no memory registration."""
from using import causeway

TIER = "check"
DISK = "/dev/causeway/10.0.0.1/m"


def fio(host, what, rw, bs, depth, size="8M"):
    host.run(
        f"fio --name={what} --filename={DISK} --direct=1 --ioengine=libaio --rw={rw} --bs={bs} "
        f"--iodepth={depth} --size={size} --verify=crc32c --verify_fatal=1 --minimal >/dev/null",
        timeout=120)


def counters(host, role="client"):
    stat = causeway.answer(host, "stat")
    return next(c for c in stat["stats"] if c["role"] == role)["counters"]


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 64M --allow any")
    client.run("causeway attach 10.0.0.1/m")
    for bs, depth, size in (("512", 1, "64k"), ("4k", 1, "256k"), ("4k", 64, "4M"), ("8k", 64, "4M"),
                            ("16k", 32, "4M"), ("128k", 4, "8M"), ("1M", 2, "16M")):
        fio(client, f"w{bs}", "randwrite", bs, depth, size)

    # udev reads a disk after a write, and the counters would include its reads. udev does not read
    # a disk while another process locks it.
    alone = client.start(f"flock {DISK} sh -c 'echo alone; cat'", has_input=True)
    alone.wait_for("alone")
    before = counters(client)
    client.run(f"fio --name=r --filename={DISK} --direct=1 --ioengine=libaio --rw=randread --bs=4k "
               f"--iodepth=4 --size=1M --minimal >/dev/null", timeout=60)
    after = counters(client)
    reads = after["reads"] - before["reads"]
    assert reads >= 256, (before, after)
    assert after["registrations"] == before["registrations"], (before, after)
    # The client sends an additional message now and then, which returns credit.
    assert after["sends"] - before["sends"] <= reads * 9 // 8, (before, after)
    # A machine that stalls for seconds sends a PROBE, and its ALIVE is a receive too.
    assert after["receives"] - before["receives"] <= reads + 4, (before, after)
    assert after["inline_reads"] - before["inline_reads"] == reads, (before, after)

    # fio does not verify here: it would read back in order, and the block layer would merge those
    # reads into long requests.
    small = f"--filename={DISK} --direct=1 --ioengine=libaio --bsrange=512-16k --iodepth=16 --size=4M --minimal >/dev/null"
    before = after
    client.run(f"fio --name=read --rw=randread {small}")
    after = counters(client)
    assert after["inline_reads"] > before["inline_reads"], (before, after)
    assert after["registrations"] == before["registrations"], (before, after)
    client.run(f"fio --name=write --rw=randwrite {small}")
    after = counters(client)
    assert after["writes"] - before["writes"] == after["inline_writes"] - before["inline_writes"] > 0, (before, after)
    fio(client, "bulk", "randwrite", "20k", 4)
    bulk = counters(client)
    assert bulk["registrations"] > after["registrations"], (after, bulk)

    # With one write at a time, each page is sent without a trailer. Such a message returns one
    # credit. The first write may have no credit to return. A read of another process would return
    # the credit that the next write has to return.
    fio(client, "bare", "randwrite", "4k", 1, "256k")
    after, answers = (counters(host, role) for host, role in ((client, "client"), (server, "server")))
    assert after["bare_sends"] - bulk["bare_sends"] >= 63, (bulk, after)
    assert answers["bare_sends"] >= 60, answers

    alone.end_input()
    alone.wait()
    client.run("causeway detach 10.0.0.1/m")
    server.run("causeway export remove m")
