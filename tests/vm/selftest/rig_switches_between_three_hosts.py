# SPDX-License-Identifier: GPL-2.0-or-later
"""Three hosts share one network. Its switch holds the frames of one host, and no others, until it
has to release them. A host that runs systemd comes back after an orderly reboot."""

from machine.topology import HostSpec, Topology

TOPOLOGY = Topology(hosts=(HostSpec("server"), HostSpec("client"), HostSpec("client2", init="systemd")))
TIER = "long"


def scenario(rig):
    server = rig.server.start("rping -s -P -a 10.0.0.1")
    for host in (rig.client, rig.client2):
        host.wait_for("rping -c -a 10.0.0.1 -C 2")
    server.kill()

    rig.client.hold_frames()
    held = rig.client.start("ping -c 1 -W 60 10.0.0.1")
    rig.client.wait_frames_held()
    rig.client2.run("ping -c 1 -W 5 10.0.0.1")
    rig.server.fails("ping -c 1 -W 1 10.0.0.2")
    assert held.running
    rig.client.overtake_frames()
    rig.client.run("ping -c 1 -W 5 10.0.0.1")
    assert held.running
    assert rig.client.release_frames() >= 1 and rig.client.frames_held() == 0
    held.wait()

    rig.client2.wait_for("systemctl is-active multi-user.target")
    rig.client2.reboot()
    rig.client.wait_for(f"ping -c 1 -W 1 {rig.client2.address()}")
