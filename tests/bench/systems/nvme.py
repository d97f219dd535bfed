# SPDX-License-Identifier: GPL-2.0-or-later
"""NVMe over Fabrics: nvmet-rdma and nvme-rdma of the kernel itself."""

from .local import backing, no_scheduler

NAME = "nvme"
GROUNDS = ("rxe", "wire", "siw")
CONFIG = "/sys/kernel/config/nvmet"


def start(host, ground, count):
    host.run("modprobe -a configfs nvmet nvmet_rdma && modprobe nvme_core multipath=N && modprobe nvme_rdma && "
             "{ mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config; }")
    host.run(f"mkdir {CONFIG}/ports/1 && cd {CONFIG}/ports/1 && echo ipv4 >addr_adrfam && echo rdma >addr_trtype && "
             f"echo {ground.server} >addr_traddr && echo 4420 >addr_trsvcid")
    for i, device in enumerate(backing(host, count)):
        host.run(f"mkdir {CONFIG}/subsystems/b{i} && cd {CONFIG}/subsystems/b{i} && echo 1 >attr_allow_any_host && "
                 f"mkdir namespaces/1 && echo {device} >namespaces/1/device_path && echo 1 >namespaces/1/enable && "
                 f"ln -s {CONFIG}/subsystems/b{i} {CONFIG}/ports/1/subsystems/b{i}")
        host.run(f"echo transport=rdma,traddr={ground.server},trsvcid=4420,nqn=b{i},host_traddr={ground.client},nr_io_queues=1 "
                 ">/dev/nvme-fabrics")
    names = [f"nvme{i}n1" for i in range(count)]
    for name in names:
        host.wait_for(f"[ -b /dev/{name} ]")
    no_scheduler(host, names)
    return [f"/dev/{name}" for name in names]
