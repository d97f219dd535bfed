# SPDX-License-Identifier: GPL-2.0-or-later
"""NVMe over Fabrics: nvmet-rdma and nvme-rdma of the kernel itself, or nvmet-tcp and nvme-tcp."""

from .local import CONFIGFS, backing, no_scheduler

NAME = "nvme"
GROUNDS = ("rxe", "wire", "siw", "sim", "tcp", "tcpwire")
CONFIG = "/sys/kernel/config/nvmet"


def namespace(client, nqn):
    """Return the device that the client made for a subsystem."""
    of_it = f"grep -lx {nqn} /sys/class/nvme/nvme*/subsysnqn"
    controller = client.run(of_it).out.split("/")[-2]
    client.wait_for(f"[ -b /dev/{controller}n1 ]")
    return f"{controller}n1"


def start(server, client, ground, count, options=""):
    """Connect with these further options of /dev/nvme-fabrics."""
    server.run(f"modprobe -a configfs nvmet nvmet_{ground.transport} && {CONFIGFS}")
    client.run(f"modprobe nvme_core multipath=N && modprobe nvme_{ground.transport}")
    server.run(f"[ -d {CONFIG}/ports/1 ] || {{ mkdir {CONFIG}/ports/1 && cd {CONFIG}/ports/1 && echo ipv4 >addr_adrfam && "
               f"echo {ground.transport} >addr_trtype && echo {ground.server} >addr_traddr && echo 4420 >addr_trsvcid; }}")
    names = []
    for number, device in zip(ground.numbers(count), backing(server, ground, count)):
        nqn = f"b{number}"
        server.run(f"mkdir {CONFIG}/subsystems/{nqn} && cd {CONFIG}/subsystems/{nqn} && echo 1 >attr_allow_any_host && "
                   f"mkdir namespaces/1 && echo {device} >namespaces/1/device_path && echo 1 >namespaces/1/enable && "
                   f"ln -s {CONFIG}/subsystems/{nqn} {CONFIG}/ports/1/subsystems/{nqn}")
        client.run(f"echo transport={ground.transport},traddr={ground.server},trsvcid=4420,nqn={nqn},host_traddr={ground.client},"
                   f"nr_io_queues={ground.queues}{options} >/dev/nvme-fabrics")
        names.append(namespace(client, nqn))
    no_scheduler(client, names)
    return [f"/dev/{name}" for name in names]
