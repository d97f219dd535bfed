# SPDX-License-Identifier: GPL-2.0-or-later
"""NVMe over RDMA of the kernel itself runs on the simulated HCA, and goes on after a cable was pulled under its I/O."""
from machine.needs import module
from using import simhca, stock

TOPOLOGY = simhca.TOPOLOGY
TIER = "long"
REQUIRES = (module("nvmet_rdma"), module("nvme_rdma"))
NAME = "nqn.2014-08.org.nvmexpress:uuid:5cbe11f0-0000-4000-8000-000000000001"


def scenario(rig):
    manager = simhca.begin(rig.host)
    rig.host.run(f"mkdir -p /etc/nvme && echo {NAME} >/etc/nvme/hostnqn")
    stock.judge_over_cable(rig, "nvme", NAME)
    simhca.end(rig.host, manager)
