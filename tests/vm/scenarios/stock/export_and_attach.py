# SPDX-License-Identifier: GPL-2.0-or-later
"""With each of the kernel's own transports, one command exports a disk to a named initiator and
another one attaches it. Other initiators are refused, and nothing is left behind."""
from machine.cases import case, for_each
from using import stock

TOPOLOGY = stock.TOPOLOGY
TIER = "long"


def iscsi(rig):
    stock.start_iscsid(rig.client)
    rig.server.run("causeway export add closed --ram 4M --via iscsi --initiator iqn.1993-08.org.debian:01:other")
    rig.client.fails("causeway attach server/closed --via iscsi", "cannot attach server/closed by iSCSI", timeout=120)
    assert not stock.listed(rig.client)
    # Threads of the failed login may not have returned yet.
    said = rig.server.run("causeway undo --last && [ -d /sys/module/iscsi_target_mod ]").out
    assert "iscsi_target_mod stays" in said, said
    stock.judge(rig, "iscsi", stock.INITIATOR, "LOGGED_IN")


def iser(rig):
    stock.start_iscsid(rig.client)
    stock.judge(rig, "iser", stock.INITIATOR, "LOGGED_IN")


def nvme(rig):
    stock.name_nvme_host(rig.client)
    stock.judge(rig, "nvme", stock.NVME_HOST, "live")


def nvme_tcp(rig):
    stock.name_nvme_host(rig.client)
    assert stock.NVME_HOST in rig.client.run("causeway initiator").out
    stock.judge(rig, "nvme-tcp", stock.NVME_HOST, "live")


def srp(rig):
    guid, service = (host.read("/sys/class/infiniband/rxe0/node_guid").strip() for host in (rig.client, rig.server))
    rig.client.fails("causeway attach server/scratch --via srp", "SRP has no discovery")
    rig.server.fails("causeway export add scratch --ram 4M --via srp", "SRP admits only initiators that are named")
    stock.judge(rig, "srp", guid, "running", f"--target {service}")


@for_each(case(each.__name__, each, REQUIRES=stock.REQUIRES[each.__name__]) for each in (iscsi, iser, nvme, nvme_tcp, srp))
def scenario(rig, _, judge):
    judge(rig)
