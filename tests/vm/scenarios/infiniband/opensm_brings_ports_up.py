# SPDX-License-Identifier: GPL-2.0-or-later
"""On a simulated HCA opensm makes the ports active, IPoIB crosses the cable, and the tools report
the same ports and links."""
from using import simhca

TOPOLOGY = simhca.TOPOLOGY
TIER = "ci"


def scenario(rig):
    host = rig.host
    simhca.load(host)
    simhca.wait_state(host, "INIT")
    manager = simhca.start_sm(host)
    simhca.wait_state(host, "ACTIVE")

    told = host.run("ibstat simhca0").out
    assert told.count("State: Active") == 2 and told.count("Physical state: LinkUp") == 2, told
    assert "CA type: MT4123" in told and "Rate: 200" in told, told
    assert f"Port GUID: {simhca.guid(1):#x}" in told, told
    seen = host.run("ibnetdiscover").out
    assert f"{simhca.guid(1):016x}"[-8:] in seen and "simulated HCA" in seen, seen
    links = host.run("iblinkinfo").out
    assert "4X" in links and "Active/  LinkUp" in links, links

    simhca.attach_ipoib(host)
    host.run("ping -c 3 -i 0.2 -I 10.20.0.1 10.20.0.2")
    # The 20 bytes of a hardware address: flags and queue pair, subnet prefix, GUID.
    assert host.read("/sys/class/net/ib1/address").strip().endswith(":fe:80:00:00:00:00:00:00:b8:ce:f6:03:00:00:00:02")
    simhca.unload(host)
    manager.kill(9)
    assert not host.run("ls /sys/class/infiniband").out.split()
