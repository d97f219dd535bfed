# SPDX-License-Identifier: GPL-2.0-or-later
"""On InfiniBand the verbs of IPoIB take effect and undo takes the change back. An interface keeps its given name
whenever the HCA comes. show, fabric and ping report the properties of the port."""

from using import causeway, simhca

TOPOLOGY = simhca.TOPOLOGY
TIER = "long"
LEAVES = ("file",)


def told(host, command):
    return causeway.answer(host, f"{command}")


def scenario(rig):
    host = rig.host
    simhca.load(host)
    host.write("/tmp/partitions.conf", "Default=0x7fff, ipoib : ALL=full;\nstorage=0x0002, ipoib : ALL=full;\n")
    manager = simhca.start_sm(host, config="partition_config_file /tmp/partitions.conf\n")
    simhca.wait_state(host, "ACTIVE")
    simhca.attach_ipoib(host)

    host.run("causeway ipoib set ib0 --mode connected --mtu 65520 --no-persist")
    assert host.read("/sys/class/net/ib0/mode").strip() == "connected"
    assert host.read("/sys/class/net/ib0/mtu").strip() == "65520"
    host.run("causeway undo --last")
    assert host.read("/sys/class/net/ib0/mode").strip() == "datagram"
    before = host.read("/sys/class/net/ib0/mtu")
    host.fails("causeway ipoib set ib0 --mtu 9000 --no-persist", "datagram")
    assert host.read("/sys/class/net/ib0/mtu") == before

    host.fails("causeway ipoib child add ib0 0x10002 --no-persist", "0x10002")
    host.fails("causeway ipoib child add ib0 0x8003 --no-persist", "in no partition 0x8003")
    host.run("causeway ipoib child add ib0 0x8002 --no-persist")
    assert host.read("/sys/class/net/ib0.8002/pkey").strip() == "0x8002"
    host.run("ip link set ib0.8002 up")
    host.wait_for("[ $(cat /sys/class/net/ib0.8002/carrier) = 1 ]")
    host.run("causeway ipoib child remove ib0.8002")
    assert not host.run("ls -d /sys/class/net/ib0.* 2>/dev/null || :").out

    # For a child that was made by netlink, sysfs shows neither mode nor P_Key nor parent.
    host.run("ip link add link ib0 name storage type ipoib pkey 0x8002 && ip link set storage up")
    assert not host.run("ls /sys/class/net/storage/mode 2>/dev/null || :").out
    child, = told(host, "ipoib show storage")["interfaces"]
    assert (child["mode"], child["pkey"], child["parent"]) == ("datagram", "0x8002", "ib0"), child
    host.fails("causeway ipoib child add storage 0x8002 --no-persist", "is a child itself")
    host.run("causeway ipoib set storage --mode connected --mtu 65520 --no-persist")
    assert "connected" in host.run("ip -details link show dev storage").out
    assert host.read("/sys/class/net/storage/mtu").strip() == "65520"
    host.run("causeway undo --last")
    child, = told(host, "ipoib show storage")["interfaces"]
    assert (child["mode"], child["mtu"]) == ("datagram", 2044), child
    host.run("causeway ipoib child remove storage")
    assert not host.run("ls -d /sys/class/net/storage 2>/dev/null || :").out

    device, = told(host, "show")["devices"]
    assert device["name"] == "simhca0" and len(device["ports"]) == 2, device
    assert {port["state"] for port in device["ports"]} == {"ACTIVE"}, device
    assert "200" in host.run("causeway show").out
    assert "simulated HCA" in host.run("causeway fabric").out
    lid = int(host.read(f"{simhca.PORTS}/2/lid"), 16)
    host.run(f"causeway ping --ib {lid} --count 2")

    host.run("causeway name set ib1 storage1 && udevadm control --reload")
    simhca.unload(host)
    simhca.load(host)
    host.run("modprobe ib_ipoib")
    host.wait_for("[ -e /sys/class/net/storage1 ]")
    assert not host.run("ls -d /sys/class/net/ib1 2>/dev/null || :").out
    # The interface is that of the second port, in whatever order the ports came.
    assert host.read("/sys/class/net/storage1/dev_port").strip() == "1"
    host.run("causeway undo --last")
    host.run("rmmod ib_ipoib; rmmod simhca", timeout=120)
    manager.kill(9)
