# SPDX-License-Identifier: GPL-2.0-or-later
"""What was served and mounted persistently is there again after a reboot of both machines, by our transport."""
import json

from rig import nfs
from rig.topology import pair

KEEP = ("/etc/causeway", "/etc/exports.d", "/etc/nfs.conf.d", "/etc/modprobe.d", "/etc/systemd/system", "/srv")
TOPOLOGY = pair(server={"init": "systemd", "keep": KEEP}, client={"init": "systemd", "keep": KEEP}, packages=nfs.PACKAGES)
TIER = "long"


def scenario(rig):
    server, client = rig.server, rig.client
    for host in (server, client):
        # What Debian enables when it is installed.
        host.run("systemctl enable remote-fs.target && causeway nfs transport causeway")
    server.run("mkdir -p /srv/home && chmod 777 /srv/home && causeway nfs serve /srv/home -o fsid=0 --to 10.0.0.0/24", timeout=180)
    client.run("mkdir -p /mnt/home && causeway nfs rule add 10.0.0.0/24 --from 10.0.0.2 && "
               "causeway nfs mount 10.0.0.1:/ /mnt/home --persist -o vers=4.2 && echo word >/mnt/home/file", timeout=180)
    # "generated" and "static" would succeed too.
    assert client.run("systemctl is-enabled mnt-home.mount").lines == ["enabled"]

    client.shutdown()
    server.shutdown()
    server.boot()
    server.wait_for("grep -q 'rdma 20049' /proc/fs/nfsd/portlist", timeout=180)
    client.boot()
    client.wait_for("mountpoint -q /mnt/home", timeout=180)
    assert client.read("/mnt/home/file") == "word\n"
    for host in (server, client):
        assert nfs.uses(host, nfs.OURS)
    told = json.loads(client.run("causeway --json net").out)["nfs"]
    assert told["mounts"][0]["transport"] == "rdma" and told["connections"][0]["mounts"] == ["/mnt/home"], told
    assert json.loads(client.run("causeway --json nfs rule list").out)["rules"][0]["running"]

    client.run("causeway nfs umount /mnt/home")
    client.run("! systemctl is-enabled mnt-home.mount && [ ! -e /etc/systemd/system/mnt-home.mount ]")
    server.run("causeway nfs unserve /srv/home && systemctl stop nfs-server")
