# SPDX-License-Identifier: GPL-2.0-or-later
"""Three hosts share one network; one that runs systemd comes back after an orderly reboot."""

from rig.topology import HostSpec, Topology

TOPOLOGY = Topology(hosts=(HostSpec("server"), HostSpec("client"), HostSpec("client2", init="systemd")))
TIER = "long"


def scenario(rig):
    server = rig.server.start("rping -s -P -a 10.0.0.1")
    for host in (rig.client, rig.client2):
        host.wait_for("rping -c -a 10.0.0.1 -C 2")
    server.kill()
    rig.client2.wait_for("systemctl is-active multi-user.target")
    rig.client2.reboot()
    rig.client.wait_for(f"ping -c 1 -W 1 {rig.client2.address()}")
