# SPDX-License-Identifier: GPL-2.0-or-later
"""Systems that give a disk two paths, one over each link between a server and a client.

Each class attaches a device of the server, by both links, when it is made. "disk" is then the
client's device. carrier() returns the link over which the requests in flight went. wait_paths()
waits until both paths can be used, and the next request is sent. next_links() returns the links in
the order in which the next request may use them. are_over() says if a host has ended the
connections to which these frames belong."""

import re

from using import tcp

LINKS = 0, 1
SERVERS = ("10.0.0.1", "10.1.0.1")      # of the server, on each link
CLIENTS = ("10.0.0.2", "10.1.0.2")
CONFIGFS = "{ mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config; }"


def in_flight(host, disks):
    """Return which of the disks have requests in flight."""
    script = "; ".join(f"awk -v d={disk} '$1 + $2 {{ print d }}' /sys/block/{disk}/inflight" for disk in disks)
    return host.run(script).out.split()


class System:
    """A system for which nothing else is defined."""

    OURS = False

    def next_links(self):
        return LINKS

    def are_over(self, host, frames):
        return True


class Causeway(System):
    NAME = "causeway over RDMA"
    OURS = True
    TRANSPORTS = ("rdma", "rdma")       # of the path over each link
    # The pauses between attempts to connect only make a round longer, after the loss and what follows it.
    SETTINGS = "fast_probe_ms=100 attempt_ms=500 retry_base_ms=100 retry_cap_ms=500"

    def __init__(self, server, client, device):
        for host in (server, client):
            host.run(f"modprobe causeway {self.SETTINGS}")
        server.run(f"causeway export add h --device {device} --allow any --tcp --no-persist")
        self.events = client.host.start("causeway watch")
        self.events.wait_for("watching")
        self.disk = f"/dev/causeway/{SERVERS[0]}/h"
        for verb, address, transport in zip(("attach", "path add"), SERVERS, self.TRANSPORTS):
            client.run(f"causeway {verb} {SERVERS[0]}/h --path {address} --transport {transport}"
                       f"{' --policy single --no-persist' if verb == 'attach' else ''}")
        client.wait_for(f"[ -b {self.disk} ]")
        self.wait_paths()

    def look(self):
        """Return the links whose path is live, and the one whose path carries I/O, by the events so far."""
        live, carries = set(), None
        for event, text in re.findall(r"^\S+Z (up|down|path-up|path-down|return) .*?: (.*)$", self.events.out, re.M):
            if event == "down":
                live, carries = set(), None
            elif event == "up":
                carries = int(re.search(r"live over \D*(\d)", text).group(1))     # rxe1, eth1
                live = {carries}
            elif event == "return":
                carries = self.TRANSPORTS.index("rdma")
            else:
                link = int(re.search(r"path (\d)", text).group(1))
                live = live | {link} if event == "path-up" else live - {link}
                if carries not in live:
                    carries = min(live, default=None)
        return live, carries

    def carrier(self):
        return self.look()[1]

    def next_links(self):
        carries = self.carrier()
        return carries, 1 - carries

    def wait_paths(self):
        while len(self.look()[0]) < len(LINKS):
            self.events.wait_for(r"^\S+Z (path-)?up .*\n", timeout=120)


class CausewayTcp(Causeway):
    NAME = "causeway over TCP"
    TRANSPORTS = ("tcp", "tcp")

    def are_over(self, host, frames):
        return not tcp.ports_of_client(frames) & tcp.open_ports_of_client(host)


class CausewayMixed(CausewayTcp):
    NAME = "causeway over RDMA and TCP"
    TRANSPORTS = ("rdma", "tcp")

    def are_over(self, host, frames):
        # The frames of RDMA are of UDP, and belong to no connection of TCP.
        return super().are_over(host, [frame for frame in frames if frame[23] != 17])


class Nvme(System):
    """nvmet, and one head of nvme over two controllers: the kernel's own multipath."""

    NAME = "nvme-rdma"
    TRANSPORTS = ("rdma", "rdma")
    CONFIG = "/sys/kernel/config/nvmet"
    NQN = "two"

    def __init__(self, server, client, device):
        self.client = client
        server.run(f"modprobe -a configfs nvmet {' '.join(f'nvmet_{name}' for name in set(self.TRANSPORTS))} && {CONFIGFS} && "
                   f"cd {self.CONFIG}/subsystems && mkdir {self.NQN} && cd {self.NQN} && echo 1 >attr_allow_any_host && "
                   f"mkdir namespaces/1 && echo {device} >namespaces/1/device_path && echo 1 >namespaces/1/enable")
        client.run(f"modprobe nvme_core multipath=Y && modprobe -a {' '.join(f'nvme_{name}' for name in set(self.TRANSPORTS))}")
        for link, (transport, address) in enumerate(zip(self.TRANSPORTS, SERVERS)):
            server.run(f"mkdir {self.CONFIG}/ports/{link} && cd {self.CONFIG}/ports/{link} && echo ipv4 >addr_adrfam && "
                       f"echo {transport} >addr_trtype && echo {address} >addr_traddr && echo 4420 >addr_trsvcid && "
                       f"ln -s {self.CONFIG}/subsystems/{self.NQN} subsystems/")
            client.run(f"echo transport={transport},traddr={address},trsvcid=4420,nqn={self.NQN},host_traddr={CLIENTS[link]},"
                       "nr_io_queues=1,keep_alive_tmo=1,reconnect_delay=1,ctrl_loss_tmo=-1 >/dev/nvme-fabrics")
        self.wait_paths()
        self.disk = "/dev/" + client.run("cd /sys/block && ls -d nvme*n1 | grep -v c").out.strip()
        client.wait_for(f"[ -b {self.disk} ]")

    def carrier(self):
        hidden = self.client.run("cd /sys/block && ls -d nvme*c*n1").out.split()
        disk, = in_flight(self.client, hidden)
        controller = "nvme" + disk.partition("c")[2].partition("n")[0]
        address = self.client.read(f"/sys/class/nvme/{controller}/address")
        return next(link for link, server in enumerate(SERVERS) if f"traddr={server}," in address)

    def wait_paths(self):
        self.client.wait_for("[ $(grep -lx live /sys/class/nvme/nvme*/state | wc -l) = 2 ] && "
                             "[ $(ls -d /sys/block/nvme*c*n1 | wc -l) = 2 ]", timeout=180)


class NvmeMixed(Nvme):
    """The same with RDMA on one link and TCP on the other."""

    NAME = "nvme-rdma and nvme-tcp"
    TRANSPORTS = ("rdma", "tcp")


class Srp(System):
    """ib_srpt with LIO, and dm-multipath over two disks of ib_srp."""

    NAME = "dm-multipath over SRP"
    TRANSPORTS = ("rdma", "rdma")
    TARGET = "/sys/kernel/config/target"
    PORT = 5555
    SECONDS = 2         # that a SCSI command may take before its path is examined

    def __init__(self, server, client, device):
        self.client = client
        server.run(f"modprobe -a configfs target_core_mod target_core_iblock ib_srpt && {CONFIGFS}")
        client.run("modprobe -a sd_mod ib_srp dm_multipath dm_round_robin")
        store = f"{self.TARGET}/core/iblock_0/h"
        server.run(f"mkdir -p {store} && echo udev_path={device} >{store}/control && echo {device} >{store}/udev_path && "
                   f"echo 1 >{store}/enable")
        server.run(f"mkdir {self.TARGET}/srpt && echo {self.PORT} >{self.TARGET}/srpt/discovery_auth/rdma_cm_port")
        target = f"{int(server.read('/sys/module/ib_srpt/parameters/srpt_service_guid'), 16):016x}"
        self.disks = []
        for link, address in enumerate(SERVERS):
            self.export(server, link, store)
            client.run(f"echo id_ext={target},ioc_guid={target},dest={address}:{self.PORT} "
                       f">/sys/class/infiniband_srp/srp-rxe{link}-1/add_target")
            client.wait_for(f"[ $(ls -d /sys/block/sd* | wc -l) = {link + 1} ]")
            disk, = set(client.run("cd /sys/block && ls -d sd*").out.split()) - set(self.disks)
            self.disks.append(disk)
            client.run(f"echo {self.SECONDS} >/sys/block/{disk}/device/timeout")
        client.run("for r in /sys/class/srp_remote_ports/*; do echo off >$r/dev_loss_tmo; echo 1 >$r/fast_io_fail_tmo; "
                   "echo 1 >$r/reconnect_delay; done")
        paths = " ".join(f"round-robin 0 1 1 {client.read(f'/sys/block/{disk}/dev').strip()} 1000" for disk in self.disks)
        client.run(f"dmsetup create two --table \"0 $(blockdev --getsz /dev/{self.disks[0]}) multipath 1 queue_if_no_path 0 2 1 {paths}\"")
        self.disk = "/dev/mapper/two"

    def export(self, server, link, store):
        gid = server.read(f"/sys/class/infiniband/rxe{link}/ports/1/gids/0").strip().replace(":", "")
        initiator = self.client.read(f"/sys/class/infiniband/rxe{link}/ports/1/gids/0").strip().replace(":", "")[16:]
        tpg = f"{self.TARGET}/srpt/0x{gid}/0x{gid}"
        acl = f"{tpg}/acls/0x{initiator:0>32}"
        server.run(f"mkdir -p {tpg} && mkdir {tpg}/lun/lun_0 && ln -s {store} {tpg}/lun/lun_0/ && mkdir {acl} {acl}/lun_0 && "
                   f"ln -s {tpg}/lun/lun_0 {acl}/lun_0/ && echo 1 >{tpg}/enable")

    def carrier(self):
        disk, = in_flight(self.client, self.disks)
        return self.disks.index(disk)

    def wait_paths(self):
        self.client.wait_for("[ $(grep -lx running /sys/class/srp_remote_ports/*/state | wc -l) = 2 ] && "
                             f"! grep -qvx running {' '.join(f'/sys/block/{disk}/device/state' for disk in self.disks)}", timeout=180)
        for disk in self.disks:
            self.client.run(f"dmsetup message two 0 reinstate_path {self.client.read(f'/sys/block/{disk}/dev').strip()}")


SYSTEMS = {system.NAME: system for system in (Causeway, CausewayTcp, CausewayMixed, Nvme, NvmeMixed, Srp)}
