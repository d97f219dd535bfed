# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine with a simulated InfiniBand HCA (tests/modules/simhca), for scenarios.

The two ports of the HCA are cabled to each other, so one machine is a whole subnet,
and both client and server: ib0 has 10.20.0.1, ib1 10.20.0.2.
"""


from . import causeway
from machine.topology import Disk, HostSpec, Topology

PACKAGES = ("opensm", "infiniband-diags", "nvme-cli", "nfs-kernel-server", "nfs-common")
DEBUG = "/sys/kernel/debug/simhca"
SERVER = "10.20.0.2"     # the address that a client on this machine uses
PORTS = "/sys/class/infiniband/simhca0/ports"
SWEEPING = "sweep_interval 1\n"     # makes a subnet manager find a port that returned within a second

# Packets to a local address would stay in lo. These settings send them out by the other port, and
# accept them where they arrive.
CROSSING = """
until [ -e /sys/class/net/ib0 ] && [ -e /sys/class/net/ib1 ]; do read -rt 0.1 <> <(:) || :; done
for name in all ib0 ib1; do
    echo 1 >/proc/sys/net/ipv4/conf/$name/accept_local
    echo 0 >/proc/sys/net/ipv4/conf/$name/rp_filter
    echo 1 >/proc/sys/net/ipv4/conf/$name/arp_ignore
done
ip rule add pref 100 lookup local
ip rule del pref 0
for i in 0 1; do
    echo {mode} >/sys/class/net/ib$i/mode
    ip addr replace 10.20.0.$((i + 1))/24 dev ib$i
    ip link set ib$i up
done
for i in 0 1; do
    ip route replace 10.20.0.$((2 - i)) dev ib$i src 10.20.0.$((i + 1)) table 2$i
    ip rule add pref 2$i iif lo to 10.20.0.$((2 - i)) lookup 2$i
done
for i in 0 1; do until [ "$(cat /sys/class/net/ib$i/carrier)" = 1 ]; do read -rt 0.1 <> <(:) || :; done; done
"""
FORGET_CROSSING = """
ip rule show | grep -q ^0: || ip rule add pref 0 lookup local
for rule in 20 21 100; do ip rule del pref $rule 2>/dev/null || :; done
"""


def topology(packages=(), **spec):
    """Return a topology of one machine, called host, that has opensm and the diagnostic tools."""
    spec = {"memory": 1024, "disks": (Disk("store", "64M"),), **spec}
    return Topology(hosts=(HostSpec("host", **spec),), rdma="none", packages=(*PACKAGES, *packages), modules=("simhca", "ib_ipoib"))


TOPOLOGY = topology()


def load(host, **parameters):
    """Load the module with these parameters."""
    host.run("modprobe -a ib_umad rdma_ucm && modprobe simhca " +
             " ".join(f"{key}={value}" for key, value in parameters.items()))


def guid(port=1, hca=0):
    return 0xb8cef60300000000 + 0x100 * hca + port


def start_sm(host, port=1, priority=8, config=""):
    """Start opensm on a port; return its Job. "config" has lines of its configuration file."""
    host.write(f"/tmp/opensm{port}.conf", config)
    host.run(f"mkdir -p /var/cache/opensm; rm -f /tmp/opensm{port}.log")
    return host.start(f"exec opensm -F /tmp/opensm{port}.conf -g {guid(port):#x} -p {priority} -f /tmp/opensm{port}.log")


def wait_state(host, state, ports=(1, 2), timeout=60):
    for port in ports:
        host.wait_for(f"grep -q {state} {PORTS}/{port}/state", timeout)


def fault(host, name, value, port=1, hca=0):
    """Write to a file of a port in debugfs, or of the HCA if port is None."""
    host.run(f"echo {value} >{DEBUG}/hca{hca}/{f'port{port}/' if port else ''}{name}", timeout=120)


def attach_ipoib(host, mode="datagram"):
    """Set up IPoIB on both ports, with addresses whose packets cross the cable. Call this again
    after an HCA has returned. Return False if the kernel has no routing rules: then both ends are
    on the port with the address."""
    host.run("modprobe ib_ipoib")
    host.run(FORGET_CROSSING + CROSSING.format(mode=mode))
    return not host.run("ip rule show", check=False).rc


READY = "rdma resource show qp | grep -c ' type RC .*state RTS'"


def begin(host, mode="datagram"):
    """Start a subnet with IPoIB; return the subnet manager's Job."""
    load(host)
    manager = start_sm(host, config=SWEEPING)
    wait_state(host, "ACTIVE")
    attach_ipoib(host, mode)
    return manager


def lose_cable(host):
    """Pull the cable until an end of a connection has noticed, then plug it in again."""
    before = int(host.run(READY).out)
    fault(host, "cable", 0)
    host.wait_for(f"[ $({READY}) -lt {before} ]", timeout=120)
    fault(host, "cable", 1)
    wait_state(host, "ACTIVE")


def lose_hca(host, manager):
    """Remove the HCA, which returns only when everything on it is gone, and bring it back. Return
    the new subnet manager's Job."""
    manager.kill(9)
    fault(host, "present", 0, port=None)
    assert not host.run("ls /sys/class/infiniband; ls -d /sys/class/net/ib* 2>/dev/null || :").out.split()
    fault(host, "present", 1, port=None)
    manager = start_sm(host, config=SWEEPING)
    wait_state(host, "ACTIVE")
    attach_ipoib(host)
    return manager


def restart_sm(host, manager):
    """Kill the subnet manager and start another one, which takes over the subnet as it is. Return
    its Job."""
    manager.kill(9)
    manager.wait(check=False)
    manager = start_sm(host, config=SWEEPING)
    host.wait_for("grep -q 'SUBNET UP' /tmp/opensm1.log")
    return manager


def connections(host):
    """Return the connections of disks. The client's end comes first."""
    return sorted(causeway.connections(host), key=lambda each: each["role"])


def end(host, manager):
    unload(host)
    manager.kill(9)


def unload(host):
    """Unload the module, which succeeds only when nothing uses it."""
    host.run(f"{FORGET_CROSSING} rmmod ib_ipoib; rmmod simhca", timeout=120)
