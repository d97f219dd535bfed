# SPDX-License-Identifier: GPL-2.0-or-later
"""Two commands on each side give machines with a plain network device a disk and a folder by RDMA,
which survive a reboot. The commands are those of FIRST_HOUR.md, without the installation and the
removal of packages. The run is recorded in build/first-hour-without-packages.txt."""

from using import causeway, nfs, recipes
from using.recording import Recording
from machine.topology import Disk, pair

KEEP = ("/etc", "/var/lib/causeway", "/srv")
TOPOLOGY = pair(server={"init": "systemd", "keep": KEEP, "disks": (Disk("store", "64M"),)},
                client={"init": "systemd", "keep": KEEP}, rdma="none", packages=nfs.PACKAGES)
TIER = "long"
LEAVES = ("attachment", "export", "file")


def scenario(rig):
    server, client = rig.server, rig.client
    # Debian enables these when they are installed.
    for host in (server, client):
        host.run("systemctl enable remote-fs.target causeway", timeout=60)
    store = server.disk("store")
    record = Recording()

    def read(*titles):
        for title in titles:
            recipes.run(rig, "FIRST_HOUR.md", title, disk=store, record=record, terminal=("causeway attach",))

    read("A look at the machines")
    client.fails("causeway attach 10.0.0.1/scratch --soft eth0", "cannot attach", timeout=120)
    for host in (server, client):
        assert "no RDMA device" in host.run("causeway show").out
    read("A disk", "A folder")
    unchanged = recipes.fill(client, "/mnt/scratch", "/mnt/home")
    by_rdma(client)

    read("A reboot")
    unchanged()
    by_rdma(client)
    read("Listing exports and disks", "Changing who may attach", "The end")
    for host in (server, client):
        assert "no RDMA device" in host.run("causeway show").out
        host.run("[ ! -e /etc/systemd/system/causeway-soft@eth0.service ]")
    record.keep(rig, recipes.TOP / "build/first-hour-without-packages.txt")


def by_rdma(client):
    """Check that RDMA carries the disk and the folder."""
    told = causeway.answer(client, "net")
    assert [(each["name"], each["transport"], each["device"]) for each in told["connections"]] == [("scratch", "rdma", "rxe0")], told
    assert [(each["directory"], each["transport"]) for each in told["nfs"]["mounts"]] == [("/mnt/home", "rdma")], told
