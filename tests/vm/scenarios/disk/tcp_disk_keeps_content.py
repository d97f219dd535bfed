# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk is attached over TCP between machines without an RDMA device, verified by fio with several block sizes and depths, and
detached."""
from machine.topology import pair
from using import causeway

TIER = "check"
TOPOLOGY = pair(rdma="none")
SERVER = "10.0.0.1"
DISK = f"/dev/causeway/{SERVER}/m"
TCP = 2     # CW_TRANSPORT_TCP


def fio(host, what, rw, bs, depth, size):
    host.run(
        f"fio --name={what} --filename={DISK} --direct=1 --ioengine=libaio --rw={rw} --bs={bs} "
        f"--iodepth={depth} --size={size} --verify=crc32c --verify_fatal=1 --minimal >/dev/null",
        timeout=120)


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("modprobe causeway tcp_port=4793")
    server.run("causeway export add m --ram 64M --allow any")
    client.run("modprobe causeway_disk")
    client.run(f"causeway-netlink attach server={SERVER} name=m host=1 address={SERVER} transport={TCP}")
    client.wait_for(f"test -b {DISK}")
    for bs, depth, size in (("512", 1, "64k"), ("4k", 1, "256k"), ("4k", 64, "4M"), ("8k", 64, "4M"),
                            ("16k", 32, "4M"), ("20k", 4, "4M"), ("128k", 4, "8M"), ("1M", 8, "32M")):
        fio(client, f"w{bs}", "randwrite", bs, depth, size)
    shown = causeway.answer(client, "show")
    print(shown)
    client.run(f"causeway detach {SERVER}/m")
    server.run("causeway export remove m")
