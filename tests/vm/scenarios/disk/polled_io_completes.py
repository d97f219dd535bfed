# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk with a poll queue completes I/O that a program submits with hipri by polling, and the
content is right."""
import json

from using import causeway

TIER = "long"
KERNELS = ("stock", "lockdep")
LEAVES = ("export",)
DISK = "/dev/causeway/10.0.0.1/m"


def sent(host):
    """Return the current packet number of each connected queue pair: control, ordinary, polled."""
    pairs = [each for each in json.loads(host.run("rdma -j resource show qp").out) if each["type"] == "RC"]
    return [each["sq-psn"] for each in sorted(pairs, key=lambda each: each["lqpn"])]


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 32M --allow any")
    client.run("causeway attach 10.0.0.1/m --queues 1 --poll-queues 1")
    attachment = causeway.attachment(client)
    assert (attachment["queues"], attachment["poll_queues"]) == (2, 1), attachment
    disk = attachment["disk"]
    assert client.read(f"/sys/block/{disk}/queue/io_poll") == "1\n"
    assert client.run(f"cat /sys/kernel/debug/block/{disk}/hctx*/type").lines == ["default", "poll"]

    for depth, kib in ((8, 4), (4, 128), (1, 4)):
        before = sent(client)
        client.run(f"fio --name=poll --filename={DISK} --direct=1 --ioengine=io_uring --hipri --rw=randwrite --bs={kib}k "
                   f"--iodepth={depth} --size=2M --verify=crc32c --verify_fatal=1 --minimal >/dev/null", timeout=120)
        control, ordinary, polled = ((new - old) % (1 << 24) for old, new in zip(before, sent(client)))
        # Each block is written and read, and a message has at most as many commands as the depth.
        assert polled >= 2 * 2048 // kib // depth, (depth, kib, control, ordinary, polled)
    # Polled and ordinary I/O run at the same time.
    client.run(f"fio --filename={DISK} --direct=1 --rw=randwrite --bs=4k --size=1M --verify=crc32c --verify_fatal=1 "
               "--iodepth=4 --minimal --name=a --ioengine=io_uring --hipri "
               "--name=b --ioengine=libaio --offset=4M >/dev/null", timeout=120)
    connection = causeway.connection(client)
    assert connection["state"] == "live" and connection["reconnects"] == 0, connection
    client.run("udevadm settle && causeway detach 10.0.0.1/m")
