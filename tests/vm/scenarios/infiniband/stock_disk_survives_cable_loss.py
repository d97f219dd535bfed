# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk of each of the kernel's own transports runs on the simulated HCA, and goes on after the
cable was pulled during its I/O."""
from machine.cases import case, for_each
from using import simhca, stock

TOPOLOGY = simhca.TOPOLOGY
TIER = "long"


def iser(rig):
    stock.start_iscsid(rig.host)
    stock.judge_over_cable(rig, "iser", stock.INITIATOR)


def nvme(rig):
    stock.name_nvme_host(rig.host)
    stock.judge_over_cable(rig, "nvme", stock.NVME_HOST)


def srp(rig):
    service = f"{simhca.guid(0):016x}"      # the GUID of the node
    # Initiator and target are ports: the client sends by the first port, and the address is that of
    # the second.
    stock.judge_over_cable(rig, "srp", f"{simhca.guid(1):016x}", f"--target {service}",
                           f"--target fe80000000000000{simhca.guid(2):016x}")


@for_each([case("iser", iser, REQUIRES=stock.REQUIRES["iser"], TOPOLOGY=simhca.topology(("open-iscsi",))),
           case("nvme", nvme, REQUIRES=stock.REQUIRES["nvme"]),
           case("srp", srp, REQUIRES=stock.REQUIRES["srp"])])
def scenario(rig, _, judge):
    manager = simhca.begin(rig.host)
    judge(rig)
    simhca.end(rig.host, manager)
