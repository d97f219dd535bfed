# SPDX-License-Identifier: GPL-2.0-or-later
"""SRP over rdma_cm: ib_srpt with LIO, and ib_srp."""

from .lio import TARGET, backstores, scsi_disks

NAME = "srp"
GROUNDS = ("rxe", "wire", "sim")
PORT = 5555


def start(server, client, ground, count):
    server.run("modprobe ib_srpt")
    client.run("modprobe -a sd_mod ib_srp")
    stores = backstores(server, ground, count)
    sysfs = "/sys/class/infiniband"
    wwn = "0x" + server.read(f"{sysfs}/{ground.server_device}/ports/{ground.server_port}/gids/0").strip().replace(":", "")
    # This is the GUID of the port, which equals that of the node only if there is one port.
    initiator = client.read(f"{sysfs}/{ground.client_device}/ports/1/gids/0").strip().replace(":", "")[16:]
    # This is the GUID of the first device that ib_srpt found.
    target = f"{int(server.read('/sys/module/ib_srpt/parameters/srpt_service_guid'), 16):016x}"
    tpg = f"{TARGET}/srpt/{wwn}/{wwn}"
    acl = f"{tpg}/acls/0x{initiator:0>32}"
    server.run(f"mkdir {TARGET}/srpt && echo {PORT} >{TARGET}/srpt/discovery_auth/rdma_cm_port && mkdir -p {tpg}")
    for i, store in enumerate(stores):
        server.run(f"mkdir {tpg}/lun/lun_{i} && ln -s {store} {tpg}/lun/lun_{i}/")
    server.run(f"mkdir {acl}")
    for i in range(count):
        server.run(f"mkdir {acl}/lun_{i} && ln -s {tpg}/lun/lun_{i} {acl}/lun_{i}/")
    server.run(f"echo 1 >{tpg}/enable")
    client.run(f"echo id_ext={target},ioc_guid={target},dest={ground.server}:{PORT} "
               f">/sys/class/infiniband_srp/srp-{ground.client_device}-1/add_target")
    return scsi_disks(client, count)
