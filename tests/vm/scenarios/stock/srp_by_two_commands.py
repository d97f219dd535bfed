# SPDX-License-Identifier: GPL-2.0-or-later
"""SRP of the kernel itself: exported and attached by --via srp, and nothing is left of it at the end."""
from machine.needs import module
from using import stock

TOPOLOGY = stock.TOPOLOGY
TIER = "long"
REQUIRES = (module("ib_srpt"), module("ib_srp"))


def scenario(rig):
    server, client = rig.server, rig.client
    guid = client.read("/sys/class/infiniband/rxe0/node_guid").strip()
    service = server.read("/sys/class/infiniband/rxe0/node_guid").strip()
    client.fails("causeway attach server/scratch --via srp", "SRP has no discovery")
    server.fails("causeway export add scratch --ram 4M --via srp", "SRP lets nobody in who is not named")
    stock.judge(rig, "srp", guid, "running", f"--target {service}")
