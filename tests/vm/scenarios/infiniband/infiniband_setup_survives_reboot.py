# SPDX-License-Identifier: GPL-2.0-or-later
"""On InfiniBand one verb each sets up a subnet manager, a partition, the name, mode, MTU, address
and child of an IPoIB interface, and enables a port. The settings survive a reboot, and undo takes
them back one by one until nothing is left.

An administrator's session over that interface survives a change of the interface. Without "causeway
confirm" the old profile comes back after a minute or at the next boot; with it the change stays. A
removal of the package takes an unconfirmed change back at once. A purge restores opensm as its own
package configures it, and keeps the profiles of the network."""

from using import causeway, package, simhca

KEEP = ("/etc/causeway", "/etc/modprobe.d", "/etc/modules-load.d", "/etc/rdma/modules", "/etc/systemd", "/etc/udev/rules.d",
        "/var/lib/causeway")
TOPOLOGY = simhca.topology(init="systemd", keep=KEEP)
DIRTY = True        # the HCA comes back with each boot
TIER = "long"

SETTINGS = "find /etc/causeway /etc/systemd /etc/udev/rules.d -type f -o -type l | sort"


def scenario(rig):
    host = rig.host
    host.fill_kept("/etc/modprobe.d", "/etc/rdma/modules")
    host.write("/etc/modules-load.d/simhca.conf", "ib_umad\nsimhca\nib_ipoib\n")
    host.run("systemctl daemon-reload && systemctl enable --now systemd-networkd", timeout=120)
    # causeway.service pulls the unit in, but would do more in this scenario.
    host.run("systemctl add-wants multi-user.target causeway-unconfirmed.service", timeout=120)
    before = host.run(SETTINGS).out
    simhca.load(host)
    host.run("modprobe ib_ipoib")
    host.wait_for("[ -e /sys/class/net/ib0 ] && [ -e /sys/class/net/ib1 ]")

    host.run("causeway sm enable --priority 3", timeout=180)
    simhca.wait_state(host, "ACTIVE", timeout=120)
    host.run("causeway sm partition add 0x8002 --ipoib --name storage", timeout=120)
    host.wait_for(f"grep -qi 0x8002 {simhca.PORTS}/1/pkeys/1", timeout=120)
    # A link that is up keeps its name until the next boot, and networkd has not been notified of these settings.
    host.run("causeway name set ib0 storage0", timeout=120)
    host.run("causeway ipoib set storage0 --mode connected --mtu 65520", timeout=120)
    host.run("causeway ipoib addr storage0 10.20.0.1/24", timeout=120)
    host.run("causeway ipoib child add storage0 0x8002", timeout=120)
    host.run("causeway port enable simhca0/2", timeout=120)
    host.run("causeway limits set unlimited --for '*'")
    judge(host)
    session = begin_session(host)
    keep_and_lose(host, session)
    remove_in_between(host, session)
    # The machine goes down before the change is confirmed.
    cut_off(host, session)

    host.shutdown()
    host.boot()
    judge(host)
    assert CUT not in host.run("ip -br addr show dev storage0").out
    host.fails("test -e /var/lib/causeway/journal/unconfirmed")

    changes = causeway.answer(host, "undo --list")["journal"]
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
    """Purge the package after its verbs were used and nothing was undone."""
    host.run("causeway sm enable --priority 3", timeout=180)
    simhca.wait_state(host, "ACTIVE", timeout=120)
    host.run("causeway ipoib set ib0 --mode connected && causeway port enable simhca0/2 && causeway limits set unlimited --for '*'",
             timeout=180)
    package.remove(host)
    package.purge(host)
    left = [each for each in package.written(host) if "ipoib" not in each and "/etc/systemd/network/" not in each]
    assert not left, left
    # opensm runs as its package configures it, without the files in /etc/causeway.
    host.run("systemctl stop 'opensm*'; systemctl restart opensm.service", timeout=120)
    host.wait_for("systemctl is-active --quiet opensm.service || systemctl is-active --quiet 'opensm@*.service'", timeout=60)
    assert not host.run("systemctl list-units --failed --plain --no-legend 'opensm*' 'causeway*'").lines


SERVED = "10.20.0.1"
CUT = "10.21.0.1"   # its network has no peer
PORT = 7000
SHELL_SOCKET = f"""[Socket]
ListenStream={SERVED}:{PORT}
FreeBind=yes
Accept=yes
"""
SHELL_SERVICE = """[Service]
ExecStart=/bin/bash
StandardInput=socket
StandardOutput=socket
StandardError=socket
"""


def begin_session(host):
    """Start a shell behind a TCP connection that comes in over storage0: from the other port, in a
    network namespace of its own."""
    host.run("ip netns add admin && ip link set ib1 netns admin && ip -n admin address add 10.20.0.2/24 dev ib1 && "
             "ip -n admin link set ib1 up")
    host.write("/run/systemd/system/shell.socket", SHELL_SOCKET)
    host.write("/run/systemd/system/shell@.service", SHELL_SERVICE)
    host.run("systemctl daemon-reload && systemctl start shell.socket", timeout=120)
    host.wait_for(f"ip netns exec admin ping -c 1 -W 1 {SERVED}", timeout=120)
    session = host.start(f"ip netns exec admin bash -c 'exec 3<>/dev/tcp/{SERVED}/{PORT}; cat <&3 & cat >&3'", has_input=True)
    asks(session, "echo here=$((6 * 7))", "here=42")
    return session


def asks(session, command, answer, timeout=60):
    session.send(f"{command}\n".encode())
    session.wait_for(answer, timeout=timeout)


def uptime(host):
    return float(host.read("/proc/uptime").split()[0])


def cut_off(host, session):
    session.send(f"causeway ipoib addr storage0 {CUT}/24\n".encode())
    host.wait_for(f"ip -br addr show dev storage0 | grep -q {CUT}/24 && ! ip -br addr show dev storage0 | grep -q {SERVED}/24",
                  timeout=120)


def keep_and_lose(host, session):
    """A change that the session confirms stays, and a change that cuts the session off is taken
    back."""
    asks(session, "causeway ipoib set storage0 --mtu 60000; echo set=$?", "say .causeway confirm. within 60 s")
    session.wait_for("set=0")
    asks(session, "causeway confirm; echo confirm=$?", "confirm=0")
    assert host.read("/sys/class/net/storage0/mtu").strip() == "60000"

    before = uptime(host)
    cut_off(host, session)
    host.fails("causeway ipoib set storage0 --mtu 50000", "waits to be confirmed")
    back = float(host.run(f"until ip -br addr show dev storage0 | grep -q {SERVED}/24; do read -rt 0.2 <> <(:) || :; done; "
                          "cut -d' ' -f1 /proc/uptime", timeout=180).out)
    assert 60 <= back - before <= 90, back - before
    host.wait_for("[ ! -e /var/lib/causeway/journal/unconfirmed ]", timeout=60)
    assert CUT not in host.run("ip -br addr show dev storage0").out
    asks(session, "echo again=$((6 * 7))", "again=42", timeout=180)
    # The minute of the first change ended long ago.
    assert host.read("/sys/class/net/storage0/mtu").strip() == "60000"
    host.run("causeway undo --last", timeout=120)


def remove_in_between(host, session):
    """A removal of the package does not wait for the end of the minute, because it would remove the
    command before. The removal fails if the change cannot be taken back."""
    cut_off(host, session)
    host.run("mkdir /tmp/broken && ln -s /bin/false /tmp/broken/causeway")
    host.write("/tmp/broken.prerm", package.text("causeway.prerm"))
    host.fails("PATH=/tmp/broken:$PATH sh /tmp/broken.prerm remove", "causeway confirm")
    host.run("test -e /var/lib/causeway/journal/unconfirmed")
    assert "is undone, since it was not confirmed" in package.run(host, "causeway.prerm", "remove", timeout=180).out
    host.wait_for(f"ip -br addr show dev storage0 | grep -q {SERVED}/24 && ! ip -br addr show dev storage0 | grep -q {CUT}/24",
                  timeout=30)
    assert not host.run("ls /var/lib/causeway/journal/unconfirmed 2>/dev/null; "
                        "systemctl list-timers --all --no-legend 'causeway-unconfirmed-*'", check=False).lines
    asks(session, "echo third=$((6 * 7))", "third=42", timeout=180)


def judge(host):
    """Check that the settings are in effect."""
    host.wait_for("[ -e /sys/class/net/storage0 ]", timeout=120)
    simhca.wait_state(host, "ACTIVE", timeout=120)
    assert host.read("/sys/class/net/storage0/dev_port").strip() == "0"
    host.wait_for("[ $(cat /sys/class/net/storage0/mode) = connected ] && [ $(cat /sys/class/net/storage0/mtu) = 65520 ]", timeout=120)
    host.wait_for("ip -br addr show dev storage0 | grep -q 10.20.0.1/24", timeout=120)
    host.wait_for("[ -e /sys/class/net/storage0.8002 ]", timeout=120)
    child, = causeway.answer(host, "ipoib show storage0.8002")["interfaces"]
    assert (child["pkey"], child["parent"]) == ("0x8002", "storage0"), child
    told = causeway.answer(host, "sm status")
    assert {port["state"] for port in told["ports"]} == {"ACTIVE"} and all(port["enabled"] for port in told["ports"]), told
    assert [rule["pkey"] for rule in told["partitions"]] == ["0x7fff", "0x0002"], told
    interface, = causeway.answer(host, "ipoib show storage0")["interfaces"]
    assert (interface["mode"], interface["mtu"], interface["up"]) == ("connected", 65520, True), interface
