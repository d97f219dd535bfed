# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk is attached over TCP between machines without an RDMA device, verified by fio with several block sizes and depths, and
detached."""
from machine.topology import pair
from using import tcp

TIER = "check"
TOPOLOGY = pair(rdma="none")
SIZES = (("512", 1, "64k"), ("4k", 1, "256k"), ("4k", 64, "4M"), ("8k", 64, "4M"), ("16k", 32, "4M"), ("20k", 4, "4M"),
         ("128k", 4, "8M"), ("1M", 8, "32M"))


def scenario(rig):
    server, client = rig.server, rig.client
    tcp.listen(server)
    server.run("causeway export add m --ram 64M --allow any")
    disk = tcp.attach_alone(client, "m")
    for bs, depth, size in SIZES:
        client.run(f"fio --name=w{bs} --filename={disk} --direct=1 --ioengine=libaio --rw=randwrite --bs={bs} --iodepth={depth} "
                   f"--size={size} --verify=crc32c --verify_fatal=1 --minimal >/dev/null", timeout=120)
    client.run("causeway detach 10.0.0.1/m")
    server.run("causeway export remove m")
