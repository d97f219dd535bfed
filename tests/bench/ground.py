# SPDX-License-Identifier: GPL-2.0-or-later
"""The grounds of one machine on which both ends meet.

rxe      one soft-RoCE device on a dummy interface: packets loop back at once
wire     two, on the two ends of a veth pair with 20 us of delay each way: depth builds as on a network
siw      one soft-iWARP device on a dummy interface
sim      one simulated InfiniBand HCA (tests/modules/simhca) whose two ports are cabled to each other: no packets
tcp      no RDMA device, one address: TCP goes over the loopback device
tcpwire  no RDMA device: TCP goes over the veth pair of "wire"
"""

from collections.abc import Callable
from dataclasses import dataclass

from using import simhca

DELAY_US = 20
TCP = "tcp"         # stands for a device where the counters of TCP are meant

# Both addresses of a cable are local, so rules of routing send the packets over the cable. The rule
# with oif is for rdma_cm, which checks that a request came in on the interface by which its answer
# would leave.
NEAR = """
modprobe -a veth sch_netem
echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
ip rule add pref 100 lookup local
ip rule del pref 0
"""
CABLE = f"""
ip link add v{{client}} type veth peer name v{{server}}
for i in {{client}} {{server}}; do
    echo 0 >/proc/sys/net/ipv4/conf/v$i/rp_filter
    echo 1 >/proc/sys/net/ipv4/conf/v$i/accept_local
    echo 1 >/proc/sys/net/ipv4/conf/v$i/arp_ignore
    ip addr add 10.0.$i.1/32 dev v$i
    ip link set v$i mtu 9000 up
    tc qdisc add dev v$i root netem delay {DELAY_US}us limit 100000
done
for i in {{client}} {{server}}; do
    j=$(({{client}} + {{server}} - i))
    ip route add 10.0.$j.1/32 dev v$i src 10.0.$i.1 table 1$i
    ip rule add pref 10 from 10.0.$i.1 iif lo lookup 1$i
    ip rule add pref 9 oif v$i to 10.0.$j.1 lookup 1$i
done
ip rule add pref 20 to 10.0.{{server}}.1 iif lo lookup 1{{client}}
"""
RXE = """
modprobe -a rdma_ucm rdma_rxe
rdma link add rxe{client} type rxe netdev v{client}
rdma link add rxe{server} type rxe netdev v{server}
"""

DUMMY = """
modprobe dummy
ip link add d0 type dummy
ip link set d0 mtu 9000 up
ip addr add 10.0.0.1/24 dev d0
"""
ONE = DUMMY + """
modprobe -a rdma_ucm {module}
rdma link add {kind}0 type {kind} netdev d0
"""


def by(script):
    return lambda host: host.run(script)


def wires(count, *more):
    """Return the script that makes so many cables, with more on each of them. The ends of the first
    one are 10.0.0.1 and 10.0.1.1, those of the next 10.0.2.1 and 10.0.3.1."""
    return NEAR + "".join(part.format(client=2 * number, server=2 * number + 1) for part in (CABLE, *more) for number in range(count))


def subnet(host):
    """Make both ports active, with IPoIB on them. The subnet manager keeps running for new
    connections, and sweeps no more."""
    simhca.load(host)
    simhca.start_sm(host, config="sweep_interval 0\n")
    simhca.wait_state(host, "ACTIVE")
    assert simhca.attach_ipoib(host), "both ends would be on one port"


@dataclass(frozen=True)
class Ground:
    name: str
    setup: Callable     # sets the machine up
    server: str         # address of the end that exports
    client: str         # address of the other end; the same if there is one device
    server_device: str
    client_device: str
    server_port: int = 1
    transport: str = "rdma"     # or "tcp": the devices are then both TCP
    cases: str = ""     # the cases that are measured here, a pattern
    queues: int = 1     # of each device
    first: int = 0      # number of the first device: systems that exist at the same time must not share one

    def numbers(self, count):
        return range(self.first, self.first + count)


GROUNDS = {g.name: g for g in (
    Ground("rxe", by(ONE.format(kind="rxe", module="rdma_rxe")), "10.0.0.1", "10.0.0.1", "rxe0", "rxe0"),
    Ground("wire", by(wires(1, RXE)), "10.0.1.1", "10.0.0.1", "rxe1", "rxe0"),
    Ground("siw", by(ONE.format(kind="siw", module="siw")), "10.0.0.1", "10.0.0.1", "siw0", "siw0",
           cases="-4k-qd(1|16|16-batch)$|-128k-"),
    Ground("sim", subnet, "10.20.0.2", "10.20.0.1", "simhca0", "simhca0", server_port=2),
    Ground("tcp", by(DUMMY), "10.0.0.1", "10.0.0.1", TCP, TCP, transport="tcp",
           cases="-4k-qd(1|16|16-batch|1-fsync)$|-16k-|-128k-|-1m-"),
    Ground("tcpwire", by(wires(1)), "10.0.1.1", "10.0.0.1", TCP, TCP, transport="tcp", cases="-4k-qd(1|16|16-batch)$|-128k-"),
)}
