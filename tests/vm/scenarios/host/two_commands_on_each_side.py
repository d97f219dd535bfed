# SPDX-License-Identifier: GPL-2.0-or-later
"""Two commands on each side give machines with a plain network device a disk and a folder by RDMA,
which survive a reboot."""

from using import causeway, nfs
from machine.topology import Disk, pair

KEEP = ("/etc/causeway", "/etc/exports.d", "/etc/nfs.conf.d", "/etc/systemd/system", "/var/lib/causeway", "/srv")
TOPOLOGY = pair(server={"init": "systemd", "keep": KEEP, "disks": (Disk("store", "64M"),)},
                client={"init": "systemd", "keep": KEEP}, rdma="none", packages=nfs.PACKAGES)
TIER = "long"
LEAVES = ("attachment", "export", "file")

DISK = "/dev/causeway/10.0.0.1/scratch"
MADE = "eth0 has the RDMA device rxe0 now, by software"


def scenario(rig):
    server, client = rig.server, rig.client
    # Debian enables remote-fs.target when it is installed. The administrator has made the two folders.
    client.run("systemctl enable remote-fs.target && mkdir -p /mnt/home")
    server.run("mkdir -p /srv/home && chmod 777 /srv/home")
    store = server.disk("store")
    for host in (server, client):
        assert "no RDMA device" in host.run("causeway show").out
    client.fails("causeway attach 10.0.0.1/scratch --soft eth0", "cannot attach", timeout=120)
    assert "no RDMA device" in client.run("causeway show").out

    said = server.run(f"causeway export add scratch --device {store} --allow 10.0.0.0/24 --soft eth0", timeout=120).out
    assert MADE in said and "'scratch' exports device" in said, said
    said = server.run("causeway nfs serve /srv/home --to 10.0.0.0/24 -o fsid=0 --soft eth0", timeout=180).out
    assert "eth0 has the RDMA device rxe0 already" in said and "by RDMA on port 20049" in said, said
    said = client.run("causeway attach 10.0.0.1/scratch --soft eth0", timeout=120).out
    # The UUID of this host is new in each boot of the rig, and the command warns of that.
    assert MADE in said and DISK in said.splitlines(), said
    said = client.run("causeway nfs mount 10.0.0.1:/ /mnt/home -o vers=4.2 --soft eth0", timeout=180).out
    assert "10.0.0.1:/ is mounted on /mnt/home by RDMA" in said.splitlines(), said

    client.run("dd if=/dev/urandom of=/tmp/data bs=1M count=4 && "
               f"dd if=/tmp/data of={DISK} bs=1M oflag=direct conv=fsync && cp /tmp/data /mnt/home/data && sync -f /mnt/home")
    content = client.run("sha256sum </tmp/data").out
    by_rdma(client, content)
    assert server.run(f"dd if={store} bs=1M count=4 iflag=direct status=none | sha256sum").out == content

    client.shutdown()
    server.shutdown()
    server.boot()
    server.wait_for("grep -q 'rdma 20049' /proc/fs/nfsd/portlist && causeway --json export list | grep -q scratch", timeout=180)
    client.boot()
    client.wait_for(f"[ -b {DISK} ] && mountpoint -q /mnt/home", timeout=180)
    by_rdma(client, content)

    client.run("causeway nfs umount /mnt/home && causeway detach --all && causeway soft remove rxe0", timeout=120)
    server.run("causeway nfs unserve /srv/home && causeway export remove scratch && systemctl stop nfs-server && "
               "causeway soft remove eth0", timeout=120)
    for host in (server, client):
        assert "no RDMA device" in host.run("causeway show").out
        host.run("[ ! -e /etc/systemd/system/causeway-soft@eth0.service ]")


def by_rdma(client, content):
    """Check that the disk and the folder hold the data that was written, and that RDMA carries
    both."""
    assert client.run(f"dd if={DISK} bs=1M count=4 iflag=direct status=none | sha256sum").out == content
    assert client.run("sha256sum </mnt/home/data").out == content
    told = causeway.answer(client, "net")
    assert [(each["name"], each["transport"], each["device"]) for each in told["connections"]] == [("scratch", "rdma", "rxe0")], told
    assert [(each["directory"], each["transport"]) for each in told["nfs"]["mounts"]] == [("/mnt/home", "rdma")], told
