# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk has one queue pair and one hardware queue for each CPU of its client. Programs on all CPUs
use all of them."""
import json

from machine.topology import pair
from using import causeway

TOPOLOGY = pair(server={"cpus": 2}, client={"cpus": 4})
TIER = "long"
KERNELS = ("kasan",)


def connection(host, role):
    return next(each for each in causeway.connections(host) if each["role"] == role)


def sent(host):
    """Return the current packet number of each connected queue pair; that of the control link is
    the first."""
    pairs = [each for each in json.loads(host.run("rdma -j resource show qp").out) if each["type"] == "RC"]
    return [each["sq-psn"] for each in sorted(pairs, key=lambda each: each["lqpn"])]


def spreads(server, client, name, cpus):
    disk = f"/dev/causeway/{server.address()}/{name}"
    node = client.run(f"readlink -f {disk}").out.strip()[5:]
    assert connection(client, "client")["queues"] == cpus, connection(client, "client")
    assert connection(server, "server")["queues"] == cpus, connection(server, "server")
    maps = [line.replace(" ", "").split(",") for line in client.run(f"cat /sys/block/{node}/mq/*/cpu_list").lines]
    assert sorted(maps) == [[str(cpu)] for cpu in range(cpus)], maps
    before = sent(client)
    assert len(before) == cpus + 1, before      # one more, for the control link
    client.run(f"fio --name=each --filename={disk} --direct=1 --ioengine=libaio --rw=randwrite --bs=4k --iodepth=8 "
               f"--numjobs={cpus} --cpus_allowed=0-{cpus - 1} --cpus_allowed_policy=split --size=1M --offset_increment=1M "
               "--verify=crc32c --verify_fatal=1 --minimal >/dev/null", timeout=180)
    packets = [(new - old) % (1 << 24) for old, new in zip(before, sent(client))][1:]
    # Each job writes 256 blocks and reads them. Some commands are batched, but most are sent on the
    # job's CPU.
    assert all(each > 100 for each in packets), packets


def scenario(rig):
    for server, client, cpus in ((rig.server, rig.client, 4), (rig.client, rig.server, 2)):
        server.run("causeway export add m --ram 32M --allow any")
        client.run(f"causeway attach {server.address()}/m")
        spreads(server, client, "m", cpus)
        client.run(f"udevadm settle && causeway detach {server.address()}/m")
        client.run(f"causeway attach {server.address()}/m --queues 1")
        assert connection(client, "client")["queues"] == 1, connection(client, "client")
        client.run(f"dd if=/dev/{client.run('ls /sys/block | grep causeway').out.strip()} of=/dev/null bs=1M count=4 iflag=direct")
        client.run(f"udevadm settle && causeway detach {server.address()}/m")
        server.run("causeway export remove m")
