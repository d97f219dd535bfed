# SPDX-License-Identifier: GPL-2.0-or-later
"""On InfiniBand a subnet manager, a partition, names, mode, MTU, address and child of an IPoIB interface and a port that is
woken are set up by one verb each, hold after a reboot, and are taken back one by one until nothing is left. A purge of the
package leaves opensm as its own package has it, and the profiles of the network."""
import json

from rig import package, simhca

KEEP = ("/etc/causeway", "/etc/modprobe.d", "/etc/modules-load.d", "/etc/rdma/modules", "/etc/systemd", "/etc/udev/rules.d",
        "/var/lib/causeway")
TOPOLOGY = simhca.topology(init="systemd", keep=KEEP)
TIER = "long"

SETTINGS = "find /etc/causeway /etc/systemd /etc/udev/rules.d -type f -o -type l | sort"


def scenario(rig):
    host = rig.host
    host.fill_kept("/etc/modprobe.d", "/etc/rdma/modules")
    host.write("/etc/modules-load.d/simhca.conf", "ib_umad\nsimhca\nib_ipoib\n")
    host.run("systemctl daemon-reload && systemctl enable --now systemd-networkd", timeout=120)
    before = host.run(SETTINGS).out
    simhca.load(host)
    host.run("modprobe ib_ipoib")
    host.wait_for("[ -e /sys/class/net/ib0 ] && [ -e /sys/class/net/ib1 ]")

    host.run("causeway sm enable --priority 3", timeout=180)
    simhca.wait_state(host, "ACTIVE", timeout=120)
    host.run("causeway sm partition add 0x8002 --ipoib --name storage", timeout=120)
    host.wait_for(f"grep -qi 0x8002 {simhca.PORTS}/1/pkeys/1", timeout=120)
    # A link that is up keeps its name until the next boot; networkd has not been told of these.
    host.run("causeway name set ib0 storage0", timeout=120)
    host.run("causeway ipoib set storage0 --mode connected --mtu 65520", timeout=120)
    host.run("causeway ipoib addr storage0 10.20.0.1/24", timeout=120)
    host.run("causeway ipoib child add storage0 0x8002", timeout=120)
    host.run("causeway port enable simhca0/2", timeout=120)
    host.run("causeway limits set unlimited --for '*'")
    judge(host)

    host.shutdown()
    host.boot()
    judge(host)

    changes = json.loads(host.run("causeway --json undo --list").out)["journal"]
    for _ in changes:
        host.run("causeway undo --last", timeout=180)
    assert host.run(SETTINGS).out == before, host.run(SETTINGS).out
    assert not host.run("ls -d /sys/class/net/storage0.8002 2>/dev/null || :").out
    host.fails("systemctl is-active opensm.service opensm@*.service causeway-opensm@*.service")

    host.shutdown()
    host.boot()
    host.wait_for("[ -e /sys/class/net/ib0 ] && [ -e /sys/class/net/ib1 ]", timeout=120)
    assert host.read("/sys/class/net/ib0/mode").strip() == "datagram"
    assert "INIT" in host.read(f"{simhca.PORTS}/1/state")
    purge(host)


def purge(host):
    """The verbs were used, and nothing was undone."""
    host.run("causeway sm enable --priority 3", timeout=180)
    simhca.wait_state(host, "ACTIVE", timeout=120)
    host.run("causeway ipoib set ib0 --mode connected && causeway port enable simhca0/2 && causeway limits set unlimited --for '*'",
             timeout=180)
    package.remove(host)
    # It is started anew as the package has it, without what was in /etc/causeway.
    package.purge(host)
    assert not [each for each in host.run(SETTINGS).lines if "causeway" in each and "ipoib" not in each and "10-" not in each]
    host.run("systemctl stop 'opensm*'; systemctl restart opensm.service", timeout=120)
    host.wait_for("systemctl is-active --quiet opensm.service || systemctl is-active --quiet 'opensm@*.service'", timeout=60)
    assert not host.run("systemctl --failed --plain --no-legend 'opensm*' 'causeway*'").lines


def judge(host):
    """It is as it was set up."""
    host.wait_for("[ -e /sys/class/net/storage0 ]", timeout=120)
    simhca.wait_state(host, "ACTIVE", timeout=120)
    assert host.read("/sys/class/net/storage0/dev_port").strip() == "0"
    host.wait_for("[ $(cat /sys/class/net/storage0/mode) = connected ] && [ $(cat /sys/class/net/storage0/mtu) = 65520 ]", timeout=120)
    host.wait_for("ip -br addr show dev storage0 | grep -q 10.20.0.1/24", timeout=120)
    host.wait_for("[ -e /sys/class/net/storage0.8002 ]", timeout=120)
    child, = json.loads(host.run("causeway --json ipoib show storage0.8002").out)["interfaces"]
    assert (child["pkey"], child["parent"]) == ("0x8002", "storage0"), child
    told = json.loads(host.run("causeway --json sm status").out)
    assert {port["state"] for port in told["ports"]} == {"ACTIVE"} and all(port["enabled"] for port in told["ports"]), told
    assert [rule["pkey"] for rule in told["partitions"]] == ["0x7fff", "0x0002"], told
    interface, = json.loads(host.run("causeway --json ipoib show storage0").out)["interfaces"]
    assert (interface["mode"], interface["mtu"], interface["up"]) == ("connected", 65520, True), interface
