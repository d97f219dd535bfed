# SPDX-License-Identifier: GPL-2.0-or-later
"""iSER: LIO's iSCSI target with ib_isert, and open-iscsi with ib_iser."""

from .lio import TARGET, backstores, scsi_disks

NAME = "iser"
GROUNDS = ("rxe", "wire", "sim")      # not siw: LIO also listens on TCP, and siw would use the same port
IQN = "iqn.2026-01.org.example:bench"


def start(server, client, ground, count):
    server.run("modprobe -a iscsi_target_mod ib_isert")
    client.run("modprobe -a sd_mod ib_iser")
    tpg = f"{TARGET}/iscsi/{IQN}/tpgt_1"
    portal = f"{ground.server}:3260"
    stores = backstores(server, ground, count)
    server.run(f"mkdir -p {tpg} && mkdir {tpg}/np/{portal} && echo 1 >{tpg}/np/{portal}/iser")
    for i, store in enumerate(stores):
        server.run(f"mkdir {tpg}/lun/lun_{i} && ln -s {store} {tpg}/lun/lun_{i}/")
    server.run(f"cd {tpg} && echo 1 >attrib/generate_node_acls && echo 0 >attrib/demo_mode_write_protect && "
               "echo 0 >attrib/authentication && echo 1 >enable")
    client.run(f"mkdir -p /etc/iscsi /run/lock && echo InitiatorName={IQN}-client >/etc/iscsi/initiatorname.iscsi && iscsid")
    node = f"iscsiadm -m node -T {IQN} -p {portal}"
    client.run(f"{node} -I iser -o new && {node} -I iser --login", timeout=120)
    return scsi_disks(client, count)
