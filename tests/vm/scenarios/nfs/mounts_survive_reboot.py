# SPDX-License-Identifier: GPL-2.0-or-later
"""Persistent NFS exports and mounts are there again after a reboot of both machines, over our
transport.

The client boots first. With bg, neither its unit nor a line of fstab waits for the server, and both
are mounted when the server is there."""

from using import causeway, nfs
from machine.topology import pair

KEEP = ("/etc/causeway", "/etc/exports.d", "/etc/nfs.conf.d", "/etc/modprobe.d", "/etc/systemd/system", "/srv")
TOPOLOGY = pair(server={"init": "systemd", "keep": KEEP}, client={"init": "systemd", "keep": KEEP}, packages=nfs.PACKAGES)
TIER = "long"
LEAVES = ("file",)


def scenario(rig):
    server, client = rig.server, rig.client
    for host in (server, client):
        # Debian enables this target when it is installed.
        host.run("systemctl enable remote-fs.target && causeway nfs transport causeway")
    server.run("mkdir -p /srv/home && chmod 777 /srv/home && causeway nfs serve /srv/home -o fsid=0 --to 10.0.0.0/24", timeout=180)
    client.run("mkdir -p /mnt/home && causeway nfs rule add 10.0.0.0/24 --from 10.0.0.2 && "
               "causeway nfs mount 10.0.0.1:/ /mnt/home -o vers=4.2,bg,rdma-timeout=20 && echo word >/mnt/home/file", timeout=180)
    # "generated" and "static" would succeed too.
    assert client.run("systemctl is-enabled mnt-home.mount").lines == ["enabled"]

    client.shutdown()
    server.shutdown()
    client.boot()
    # The unit ends without a mount. A service of its own goes on, which systemd does not end with
    # the unit.
    client.wait_for("systemctl is-failed mnt-home.mount", timeout=240)
    client.run("mkdir -p /mnt/line && "
               "echo '10.0.0.1:/ /mnt/line nfs-causeway nofail,bg,vers=4.2,rdma-timeout=20 0 0' >>/etc/fstab && systemctl daemon-reload")
    client.run("systemctl start mnt-line.mount", timeout=120, check=False)
    go_on = client.run("systemctl show -p ExecStart --value 'run-*.service' | grep mount.nfs-causeway").lines
    assert len(go_on) == 2, go_on
    client.run("! mountpoint -q /mnt/home && ! mountpoint -q /mnt/line")
    server.boot()
    server.wait_for("grep -q 'rdma 20049' /proc/fs/nfsd/portlist", timeout=180)
    for directory in ("/mnt/home", "/mnt/line"):
        client.wait_for(f"mountpoint -q {directory}", timeout=180)
        mounted = client.run(f"grep ' {directory} ' /proc/mounts").out
        assert "proto=rdma" in mounted, (mounted, client.run("journalctl -b -t mount.nfs-causeway --no-pager").out)
    client.wait_for("systemctl is-active mnt-home.mount mnt-line.mount", timeout=30)
    client.wait_for("journalctl -b | grep 'mount.nfs-causeway.*is mounted on /mnt/line by RDMA'", timeout=30)
    client.run("systemctl stop mnt-line.mount && ! mountpoint -q /mnt/line && sed -i /nfs-causeway/d /etc/fstab")
    assert client.read("/mnt/home/file") == "word\n"
    for host in (server, client):
        assert nfs.uses(host, nfs.CAUSEWAY)
    told = causeway.answer(client, "net")["nfs"]
    assert told["mounts"][0]["transport"] == "rdma" and told["connections"][0]["mounts"] == ["/mnt/home"], told
    assert causeway.answer(client, "nfs rule list")["rules"][0]["running"]

    client.run("causeway nfs umount /mnt/home")
    client.run("! systemctl is-enabled mnt-home.mount && [ ! -e /etc/systemd/system/mnt-home.mount ]")
    server.run("causeway nfs unserve /srv/home && systemctl stop nfs-server")
