# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk is found and attached over TCP between machines without an RDMA device, verified by fio with several block sizes and
depths, and detached. A disk that is not exported with --tcp cannot be attached over TCP, and without such an export the TCP
port is closed."""
from machine.topology import pair
from using import causeway

TIER = "check"
TOPOLOGY = pair(rdma="none")
SIZES = (("512", 1, "64k"), ("4k", 1, "256k"), ("4k", 64, "4M"), ("8k", 64, "4M"), ("16k", 32, "4M"), ("20k", 4, "4M"),
         ("128k", 4, "8M"), ("1M", 8, "32M"))
CLOSED = "! ss -Hltn sport = :4794 | grep -q ."


def scenario(rig):
    server, client = rig.server, rig.client
    server.run(f"causeway export add rdma-only --ram 16M --allow any && {CLOSED}")
    server.run("causeway export add m --ram 64M --allow any --tcp --address 10.0.0.1")
    found = causeway.answer(client, "discover 10.0.0.1 --transport tcp")["exports"]
    addresses = {each["name"]: [(at["transport"], at["address"], at["port"]) for at in each["addresses"]] for each in found}
    assert addresses["m"] == [("tcp", "10.0.0.1", 4794)], found
    client.fails("causeway attach 10.0.0.1/rdma-only --transport tcp", "is not served over TCP")
    client.fails("causeway attach 10.0.0.1/m", "without RDMA: --transport tcp")

    client.run("causeway attach 10.0.0.1/m --path auto --transport tcp", timeout=60)
    shown = causeway.answer(client, "path list 10.0.0.1/m")["paths"]
    assert [(path["transport"], path["peer"], path["state"]) for path in shown] == [("tcp", "10.0.0.1:4794", "live")], shown
    for bs, depth, size in SIZES:
        client.run(f"fio --name=w{bs} --filename=/dev/causeway/10.0.0.1/m --direct=1 --ioengine=libaio --rw=randwrite --bs={bs} "
                   f"--iodepth={depth} --size={size} --verify=crc32c --verify_fatal=1 --minimal >/dev/null", timeout=120)
    client.run("causeway detach 10.0.0.1/m")
    server.run(f"causeway export remove m && {CLOSED}")
    server.run("causeway export remove rdma-only")
