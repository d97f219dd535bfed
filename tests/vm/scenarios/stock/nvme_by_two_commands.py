# SPDX-License-Identifier: GPL-2.0-or-later
"""NVMe over RDMA of the kernel itself: exported and attached by --via nvme, and nothing is left of it at the end."""
from machine.needs import module
from using import stock

TOPOLOGY = stock.TOPOLOGY
TIER = "long"
REQUIRES = (module("nvmet_rdma"), module("nvme_rdma"))
NAME = "nqn.2014-08.org.nvmexpress:uuid:5cbe11f0-0000-4000-8000-000000000001"


def scenario(rig):
    rig.client.run(f"mkdir -p /etc/nvme && echo {NAME} >/etc/nvme/hostnqn")
    stock.judge(rig, "nvme", NAME, "live")
