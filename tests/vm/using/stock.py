# SPDX-License-Identifier: GPL-2.0-or-later
"""Disks by stock transports, for scenarios: "causeway export add --via" and "causeway attach
--via"."""


from . import causeway, simhca, verified
from machine.needs import module
from machine.topology import Disk, pair

PACKAGES = ("nvme-cli", "open-iscsi", "qperf")
TOPOLOGY = pair(server={"disks": (Disk("store", "64M"),)}, packages=PACKAGES)

# Lists the objects of nvmet and LIO that were configured.
CONFIGURED = ("cd /sys/kernel/config 2>/dev/null || exit 0; shopt -s nullglob; "
              "echo nvmet/{subsystems,ports,hosts}/* target/core/*_* target/{iscsi,srpt}/*")
REQUIRES = {via: tuple(map(module, names)) for via, names in {
    "iscsi": ("iscsi_target_mod", "iscsi_tcp"), "iser": ("ib_isert", "ib_iser"),
    "nvme": ("nvmet_rdma", "nvme_rdma"), "nvme_tcp": ("nvmet_tcp", "nvme_tcp"), "srp": ("ib_srpt", "ib_srp")}.items()}
NVME_HOST = "nqn.2014-08.org.nvmexpress:uuid:5cbe11f0-0000-4000-8000-000000000001"
NVME_HOST_ID = "9d3f1b52-0000-4000-8000-000000000002"    # uuidgen makes it, so it is not the UUID in the NQN
INITIATOR = "iqn.2026-01.test.causeway:client"
DISKS = "cd /sys/block && ls -d sd* nvme* 2>/dev/null || true"


def listed(host, verb="list"):
    return causeway.answer(host, f"{verb}")["stock"]


def start_iscsid(host):
    """Start iscsid, as iscsid.service does on a machine with systemd."""
    host.run(f"echo InitiatorName={INITIATOR} >/etc/iscsi/initiatorname.iscsi && mkdir -p /run/lock/iscsi && "
             "modprobe -a iscsi_tcp ib_iser && { pgrep -x iscsid >/dev/null || iscsid; }")


def name_nvme_host(host):
    """Set the name by which an NVMe target knows this host, and its ID, as the package nvme-cli of Debian does."""
    host.run(f"mkdir -p /etc/nvme && echo {NVME_HOST} >/etc/nvme/hostnqn && echo {NVME_HOST_ID} >/etc/nvme/hostid")


def judge(rig, via, initiator, state, attaching=""):
    """Check an export and an attachment from their first command until nothing is left. "initiator"
    may attach."""
    server, client = rig.server, rig.client
    store = server.disk("store")
    assert not server.run(CONFIGURED).out.split(), "something was there before"
    before = client.run(DISKS).out
    add = f"causeway export add scratch --device {store} --via {via} --initiator {initiator}"
    attach = f"causeway attach server/scratch --via {via} {attaching}"

    plan = server.run(f"{add} --dry-run").out
    assert "configfs the export 'scratch'" in plan and not server.run(CONFIGURED).out.split(), plan
    said = server.run(add, timeout=120).out
    assert "on a client: causeway attach SERVER/scratch" in said, said
    assert "nothing to do" in server.run(add).out
    export, = listed(server, "export list")
    assert export["running"] and export["persistent"] and export["size"] == 64 << 20, export

    if via != "srp":
        offered, = causeway.answer(client, f"discover server --via {via}")["targets"]
        assert offered["name"] == "scratch" and offered["portals"], offered

    device = client.run(attach, timeout=180).out.splitlines()[-1]
    assert device.startswith("/dev/"), device
    assert "nothing to do" in client.run(attach, timeout=120).out
    disk, = listed(client)
    assert disk["attached"] and disk["state"] == state and disk["disks"][0]["device"] == device, disk
    assert listed(client, "net")[0]["role"] == "client" and listed(server, "net")[0]["role"] == "server"
    io(client, server, device, store)
    used_at_the_server(server, store)

    client.run(f"mkfs.ext4 -qF {device} && mkdir -p /mnt/stock && mount {device} /mnt/stock", timeout=120)
    client.fails("causeway detach server/scratch", "is mounted")
    client.fails("causeway undo --last", "is mounted at /mnt/stock; nothing is undone")
    client.run("umount /mnt/stock")
    used_elsewhere(client, device)
    client.run("causeway detach server/scratch", timeout=120)
    assert not listed(client) and client.run(DISKS).out == before, client.run(DISKS).out
    client.run("causeway undo --last", timeout=180)
    assert listed(client)[0]["attached"]
    client.run("causeway detach server/scratch", timeout=120)

    # The server may end the client's session a moment after the client has detached.
    server.wait_for("causeway export remove scratch", timeout=60)
    assert not listed(server, "export list")
    left = server.run(CONFIGURED).out.split()
    assert not left, left
    client.fails(attach, "cannot attach", timeout=180)
    assert not listed(client) and client.run(DISKS).out == before
    for host in (server, client):
        host.run("[ -z \"$(ls /etc/causeway/stock-*.d /run/causeway/stock-* 2>/dev/null | grep -v :$)\" ]")


def used_at_the_server(server, store):
    """Check that while a client has the disk, the export cannot be removed, and no other export can
    use the disk."""
    for verb in ("stop", "export remove scratch", "undo --last"):
        refusal = server.fails(f"causeway {verb}", "clients are connected|has it attached", timeout=60)
        assert refusal.rc == 75, refusal
    for more in (" --dry-run", " --via nvme", " --via iser", " --via nvme --dry-run", " --via iser --dry-run"):
        refusal = server.fails(f"causeway export add other --device {store} --allow any{more}", "is in use: ")
        assert refusal.rc == 75, refusal


def used_elsewhere(client, device):
    """Check that a mount in another namespace, a program that writes, and a loop device each
    prevent a detach."""
    away = client.start(f"unshare -m sh -c 'mount --make-rprivate / && mount {device} /mnt/stock && echo there && read line; umount /mnt/stock'",
                        has_input=True)
    away.wait_for("there")
    client.fails("causeway detach server/scratch", "is mounted elsewhere")
    away.end_input()
    away.wait(check=False)
    writer = client.start(f"exec 3<>{device}; echo there; read line", has_input=True)
    writer.wait_for("there")
    client.fails("causeway detach server/scratch", r"\(process [0-9]+\) has /dev/.* open")
    writer.end_input()
    writer.wait(check=False)
    loop = client.run(f"modprobe loop && losetup --find --show {device}").out.strip()
    client.fails("causeway detach server/scratch", f"the loop device {loop} is on ")
    client.run(f"losetup -d {loop}")


def judge_over_cable(rig, via, initiator, attaching="", exporting=""):
    """Check, with both ends on a simulated HCA, that the disk keeps its content when the cable is
    pulled during I/O."""
    host = rig.host
    store = host.disk("store")
    host.run(f"causeway export add scratch --device {store} --via {via} --initiator {initiator} {exporting}", timeout=120)
    device = host.run(f"causeway attach {simhca.SERVER}/scratch --via {via} {attaching}", timeout=180).out.splitlines()[-1]
    io(host, host, device, store)
    fio = verified.start(host, device, "--rw=randrw --bs=16k --iodepth=8 --size=16M --loops=4")
    simhca.lose_cable(host)
    verified.passes(fio)
    io(host, host, device, store)
    host.run(f"causeway detach {simhca.SERVER}/scratch && causeway export remove scratch", timeout=120)
    assert not host.run(CONFIGURED).out.split()


def io(client, server, device, store):
    """Check that the client reads what it wrote, and that the server holds the same."""
    client.run(f"fio --name=stock --filename={device} --ioengine=libaio --direct=1 --rw=randrw --bs=4k --iodepth=8 --size=1M "
               "--verify=crc32c --verify_fatal=1 --minimal >/tmp/fio.out 2>&1 || { cat /tmp/fio.out; exit 1; }", timeout=180)
    client.run("dd if=/dev/urandom of=/tmp/data bs=1M count=2 status=none && "
               f"dd if=/tmp/data of={device} bs=256k oflag=direct conv=fsync status=none", timeout=120)
    content = client.run("sha256sum </tmp/data").out
    client.run("echo 3 >/proc/sys/vm/drop_caches")
    assert client.run(f"dd if={device} bs=256k count=8 iflag=direct status=none | sha256sum").out == content
    assert server.run(f"dd if={store} bs=256k count=8 iflag=direct status=none | sha256sum").out == content
