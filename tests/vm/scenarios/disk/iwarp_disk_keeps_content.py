# SPDX-License-Identifier: GPL-2.0-or-later
"""On hosts with a plain network device the command makes devices of Soft-iWARP. A disk over them
keeps verified content of small and large writes. It does so over a wire that loses, duplicates and
reorders packets, and after a lost link, when the client sends large I/O again. The command removes
the devices again."""

from machine.needs import module
from machine.topology import pair
from using import causeway

TOPOLOGY = pair(rdma="none")
REQUIRES = (module("siw"),)
# Debian's kernel has no siw.
KERNELS = ("kasan",)
TIER = "long"

DISK = "/dev/causeway/10.0.0.1/d"
# A write of 256k does not fit into a message: the server reads it through memory regions.
FIO = f"fio --filename={DISK} --direct=1 --ioengine=libaio --verify=crc32c --verify_fatal=1 --rw=randwrite"


def live(client):
    connection, = causeway.connections(client)
    return connection


def make_devices(server, client):
    """Make a device of Soft-iWARP by each of the two verbs that do so, and attach the disk."""
    for host in server, client:
        assert "no RDMA device" in host.run("causeway show").out
    server.run("causeway soft add siw eth0")
    server.run("causeway export add d --ram 64M --allow any")
    said = client.run("causeway attach 10.0.0.1/d --soft siw:eth0").out
    assert "eth0 has the RDMA device siw0 now, by software" in said, said
    for host in server, client:
        shown = host.run("causeway show").out
        assert "siw0  Soft-iWARP (siw) on eth0" in shown, shown


def scenario(rig):
    server, client = rig.server, rig.client
    make_devices(server, client)
    connection = live(client)
    assert connection["state"] == "live" and connection["transport"] == "rdma", connection
    assert client.run("rdma link show siw0/1").out.count("ACTIVE"), "the device is not siw"
    for size, depth in (("512", 4), ("4k", 16), ("16k", 8), ("256k", 4)):
        client.run(f"{FIO} --name=w{size} --bs={size} --iodepth={depth} --size=4M --number_ios=200 --minimal >/dev/null", timeout=120)

    # TCP sends lost segments again, so memory that is registered for large I/O is written late and
    # out of order.
    for host in server, client:
        host.run("tc qdisc replace dev eth0 root netem delay 2ms loss 1% duplicate 1% reorder 10% 50%")
    client.run(f"{FIO} --name=lossy --bssplit=4k/40:128k/30:1M/30 --iodepth=8 --size=16M --minimal >/dev/null", timeout=240)
    for host in server, client:
        sent = int(host.run("nstat -asz TcpRetransSegs | tail -n 1 | tr -s ' ' | cut -d' ' -f2").out)
        print(f"{host.name}: {sent} segments were sent again")
        assert host is server or sent > 0
        host.run("tc qdisc del dev eth0 root")
    assert live(client)["reconnects"] == 0

    events = causeway.watch(client)
    cut = client.start(f"{FIO} --name=cut --bssplit=4k/40:256k/30:1M/30 --iodepth=8 --size=16M --loops=2 --status-interval=1")
    cut.wait_for("IOPS", timeout=60)
    client.link_down()
    events.wait_for("down", timeout=60)
    client.link_up()
    events.wait_for("live over", timeout=90)
    result = cut.wait(timeout=300)
    assert "err= 0" in result.out, result.out
    assert live(client)["reconnects"] >= 1
    client.run("causeway detach 10.0.0.1/d")
    server.run("causeway export remove d")
    for host in server, client:
        host.run("causeway soft remove siw0")
        assert "no RDMA device" in host.run("causeway show").out
