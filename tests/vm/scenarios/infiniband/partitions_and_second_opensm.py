# SPDX-License-Identifier: GPL-2.0-or-later
"""Partitions in the form of RHEL's opensm reach the ports and IPoIB, and a second subnet manager
takes over from the first."""
import re

from using import simhca

TOPOLOGY = simhca.TOPOLOGY
TIER = "long"
LEAVES = ("file",)

PARTITIONS = """
Default=0x7fff, rate=3, mtu=4, scope=2, defmember=full:
        ALL, ALL_SWITCHES=full;
Default=0x7fff, ipoib, rate=3, mtu=4, scope=2:
        ALL=full;
storage=0x0002, ipoib, rate=12, mtu=5, scope=2, defmember=full:
        ALL;
"""
CONFIG = "sweep_interval 1\nsminfo_polling_timeout 1000\npolling_retry_number 2\n"


def scenario(rig):
    host = rig.host
    simhca.load(host)
    host.write("/tmp/partitions.conf", PARTITIONS)
    config = CONFIG + "partition_config_file /tmp/partitions.conf\n"
    second = simhca.start_sm(host, port=2, priority=10, config=config)
    simhca.wait_state(host, "ACTIVE")
    for port in (1, 2):
        host.run(f"grep -qi 0x8002 {simhca.PORTS}/{port}/pkeys/*")
    # The broadcast groups: the MGID has the P_Key; MTU and rate are exact (0x80), in the codes of
    # PathRecord.
    groups = re.findall(r"MGID\.+(\S+)\s+Mlid\.+\S+\s+Mtu\.+(\S+)\s+pkey\.+(\S+)\s+Rate\.+(\S+)", host.run("saquery -g").out)
    assert ("ff12:401b:8002::ffff:ffff", "0x85", "0x8002", "0x8C") in groups, groups
    assert ("ff12:401b:ffff::ffff:ffff", "0x84", "0xFFFF", "0x83") in groups, groups

    simhca.attach_ipoib(host)
    host.run("ping -c 2 -i 0.2 -I 10.20.0.1 10.20.0.2")
    host.run("echo 0x8002 >/sys/class/net/ib0/create_child && ip link set ib0.8002 up")
    host.wait_for("[ $(cat /sys/class/net/ib0.8002/carrier) = 1 ]")
    assert host.read("/sys/class/net/ib0.8002/pkey").strip() == "0x8002"
    simhca.fault(host, "remove_pkey", 0x8002)
    host.wait_for(f"! grep -qi 0x8002 {simhca.PORTS}/1/pkeys/*")
    host.run("echo 0x8002 >/sys/class/net/ib0/delete_child")

    # The one with the lower priority stands by until the other is gone.
    first = simhca.start_sm(host, port=1, priority=5, config=config)
    host.wait_for(f"sminfo -C simhca0 -P 1 $(($(cat {simhca.PORTS}/1/lid))) | grep -q STANDBY")
    assert "priority 10" in host.run("sminfo").out
    second.kill(9)
    host.wait_for("sminfo | grep -q 'priority 5.*MASTER'", timeout=120)
    simhca.wait_state(host, "ACTIVE")
    host.run("ping -c 2 -i 0.2 -I 10.20.0.1 10.20.0.2")
    simhca.unload(host)
    first.kill(9)
