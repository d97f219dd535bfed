# SPDX-License-Identifier: GPL-2.0-or-later
"""The setup of a host survives a reboot with networkd: RDMA by software and its version of RoCE,
the limits of logins and of a service, modules, and exports and attachments at an address that
networkd sets. The module of NFS over RDMA is loaded with the first device. A purge of the package
leaves no failed unit, and the kernel's own NFS over RDMA can be loaded again."""

from using import causeway, package
from machine.topology import Disk, pair

KEEP = ("/etc/causeway", "/etc/modprobe.d", "/etc/rdma/modules", "/etc/security/limits.d", "/etc/systemd", "/etc/udev/rules.d",
        "/var/lib/causeway")
HOST = {"init": "systemd", "keep": KEEP}
TOPOLOGY = pair(server={**HOST, "disks": (Disk("store", "64M"),)}, client=HOST, rdma="none")
TIER = "long"
LEAVES = ("attachment", "export", "file")

NETWORK = """[Match]
Name=eth0

[Link]
MTUBytes=9000

[Network]
LinkLocalAddressing=no
IPv6AcceptRA=no
Address=10.0.0.{0}/24
Address=10.7.0.{0}/24
Address=fd00:0::{0}/64
"""
DISK = "/dev/causeway/10.7.0.1/scratch"
READ = f"dd if={DISK} bs=1M count=2 iflag=direct status=none | sha256sum"


def scenario(rig):
    server, client = rig.server, rig.client
    for host in (server, client):
        host.fill_kept("/etc/modprobe.d", "/etc/rdma/modules")
        host.write("/etc/systemd/network/50-eth0.network", NETWORK.format(host.number))
        host.run("systemctl daemon-reload && systemctl enable --now systemd-networkd", timeout=120)
        host.wait_for("networkctl status eth0 | grep -q '(configured)'")
        host.run("causeway soft add rxe eth0 && causeway roce mode rxe0 v2 && causeway nfs transport causeway", timeout=120)
        host.run("getent group rdma || groupadd -r rdma; causeway limits set && "
                 "causeway limits set 96M --service causeway && causeway modules enable nvme_rdma", timeout=120)
    server.run(f"causeway export add scratch --device {server.disk('store')} --allow any", timeout=120)
    client.run("causeway attach 10.7.0.1/scratch", timeout=120)
    client.run(f"dd if=/dev/urandom of={DISK} bs=1M count=2 oflag=direct conv=fsync status=none")
    content = client.run(READ).out

    client.shutdown()
    server.shutdown()
    server.boot()
    client.boot()
    client.wait_for(f"[ -b {DISK} ]", timeout=240)
    assert client.run(READ).out == content
    for host in (server, client):
        judge(host)
    live, = causeway.connections(client)
    assert (live["name"], live["transport"], live["device"]) == ("scratch", "rdma", "rxe0"), live

    client.run("causeway detach --all", timeout=120)
    package.remove(client)
    client.run("systemctl stop causeway causeway-shutdown; modprobe -r causeway_rpcrdma && modprobe rpcrdma && "
               "grep -q '^rpcrdma ' /proc/modules", timeout=60)
    assert client.run("cat /etc/systemd/system/causeway-soft@eth0.service")
    package.purge(client)
    assert not package.written(client), package.written(client)
    client.run("rdma link del rxe0; modprobe -r rpcrdma; udevadm trigger --settle && systemctl daemon-reload")
    assert not client.run("systemctl list-units --failed --plain --no-legend 'causeway*' 'rdma*'").lines
    server.run("causeway export remove scratch && causeway soft remove rxe0", timeout=120)


def judge(host):
    """Check that the host is set up as before, and that no unit failed."""
    for unit in ("systemd-networkd", "causeway-soft@eth0", "causeway-roce@rxe0", "rdma-load-modules@causeway", "causeway"):
        host.wait_for(f"systemctl is-active --quiet {unit}.service", timeout=120)
    told = causeway.answer(host, "roce mode rxe0")["ports"]
    assert [(port["device"], port["port"]) for port in told] == [("rxe0", 1)], told
    # su logs in by PAM, as login(1) and sshd do.
    host.run("getent group rdma || groupadd -r rdma; useradd -m -G rdma member; useradd -m other")
    assert host.run("su - member -s /bin/bash -c 'ulimit -l'").out.strip() == "unlimited"
    assert host.run("su - other -s /bin/bash -c 'ulimit -l'").out.strip() != "unlimited"
    assert host.run("systemctl show -P LimitMEMLOCK causeway.service").out.strip() == str(96 << 20)
    modules = host.run("ls /sys/module").out.split()
    # rdma-core loads xprtrdma and svcrdma as soon as an RDMA device exists.
    assert "nvme_rdma" in modules and "causeway_rpcrdma" in modules and "rpcrdma" not in modules, modules
    assert "modprobe -q causeway_rpcrdma" in host.run("modprobe -n -v rpcrdma").out
    assert causeway.answer(host, "nfs transport")["in_effect"]
