# SPDX-License-Identifier: GPL-2.0-or-later
"""What is exported and attached by the kernel's own transports is there again after a reboot of both machines."""
from rig import stock
from rig.topology import Disk, pair

KEEP = ("/etc/causeway", "/var/lib/causeway")
TOPOLOGY = pair(server={"init": "systemd", "keep": KEEP, "disks": (Disk("store", "64M"),)},
                client={"init": "systemd", "keep": KEEP}, packages=stock.PACKAGES)
TIER = "long"


def scenario(rig):
    server, client = rig.server, rig.client
    # Of this image all machines would have the same.
    client.run(f"echo InitiatorName={stock.INITIATOR} >/etc/iscsi/initiatorname.iscsi")
    server.run(f"causeway export add scratch --device {server.disk('store')} --via nvme --allow any", timeout=120)
    server.run("causeway export add memory --ram 8M --via iscsi --allow any", timeout=120)
    device = client.run("causeway attach server/scratch --via nvme", timeout=180).out.splitlines()[-1]
    client.run("causeway attach server/memory --via iscsi", timeout=180)
    client.run(f"dd if=/dev/urandom of={device} bs=1M count=2 oflag=direct conv=fsync status=none")
    content = client.run(f"dd if={device} bs=1M count=2 iflag=direct status=none | sha256sum").out

    client.shutdown()
    server.shutdown()
    server.boot()
    server.wait_for("[ $(causeway --json export list | grep -c '\"running\": true') = 2 ]", timeout=180)
    client.boot()
    client.wait_for("[ $(causeway --json list | grep -c '\"attached\": true') = 2 ]", timeout=240)
    back = {disk["name"]: disk["disks"][0]["device"] for disk in stock.listed(client)}
    assert client.run(f"dd if={back['scratch']} bs=1M count=2 iflag=direct status=none | sha256sum").out == content
    assert client.run("systemctl is-failed causeway.service || true").out.strip() == "active"
    client.run("causeway detach --all", timeout=120)
    server.run("causeway export remove scratch && causeway export remove memory", timeout=120)
