# SPDX-License-Identifier: GPL-2.0-or-later
"""iSCSI over TCP: exported and attached by --via iscsi, to those who are named and to nobody else; nothing is left at the end."""
from machine.needs import module
from using import stock

TOPOLOGY = stock.TOPOLOGY
TIER = "long"
REQUIRES = (module("iscsi_target_mod"), module("iscsi_tcp"))


def scenario(rig):
    server, client = rig.server, rig.client
    stock.start_iscsid(client)
    server.run("causeway export add closed --ram 4M --via iscsi --initiator iqn.1993-08.org.debian:01:other")
    client.fails("causeway attach server/closed --via iscsi", "cannot attach server/closed by iSCSI", timeout=120)
    assert not stock.listed(client)
    # Threads of the login that failed may not have returned yet.
    said = server.run("causeway undo --last && [ -d /sys/module/iscsi_target_mod ]").out
    assert "iscsi_target_mod stays" in said, said
    stock.judge(rig, "iscsi", stock.INITIATOR, "LOGGED_IN")
