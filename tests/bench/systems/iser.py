# SPDX-License-Identifier: GPL-2.0-or-later
"""iSER: LIO's iSCSI target with ib_isert, and open-iscsi with ib_iser."""

from .lio import TARGET, backstores, scsi_disks

NAME = "iser"
GROUNDS = ("rxe", "wire", "siw")
IQN = "iqn.2026-01.org.example:bench"


def start(host, ground, count):
    host.run("modprobe -a iscsi_target_mod ib_isert ib_iser")
    tpg = f"{TARGET}/iscsi/{IQN}/tpgt_1"
    portal = f"{ground.server}:3260"
    stores = backstores(host, count)
    host.run(f"mkdir -p {tpg} && mkdir {tpg}/np/{portal} && echo 1 >{tpg}/np/{portal}/iser")
    for i, store in enumerate(stores):
        host.run(f"mkdir {tpg}/lun/lun_{i} && ln -s {store} {tpg}/lun/lun_{i}/")
    host.run(f"cd {tpg} && echo 1 >attrib/generate_node_acls && echo 0 >attrib/demo_mode_write_protect && "
             "echo 0 >attrib/authentication && echo 1 >enable")
    host.run(f"mkdir -p /etc/iscsi /run/lock && echo InitiatorName={IQN}-client >/etc/iscsi/initiatorname.iscsi && iscsid")
    node = f"iscsiadm -m node -T {IQN} -p {portal}"
    host.run(f"{node} -I iser -o new && {node} -I iser --login", timeout=120)
    return scsi_disks(host, count)
