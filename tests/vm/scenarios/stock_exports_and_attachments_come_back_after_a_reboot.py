# SPDX-License-Identifier: GPL-2.0-or-later
"""What is exported and attached by the kernel's own transports is there again after a reboot of both machines. While its server
does not answer, the network's mounts of a client do not wait for it."""
import json

from rig import stock
from rig.topology import Disk, pair

KEEP = ("/etc/causeway", "/var/lib/causeway")
TOPOLOGY = pair(server={"init": "systemd", "keep": KEEP, "disks": (Disk("store", "64M"),)},
                client={"init": "systemd", "keep": KEEP}, packages=stock.PACKAGES)
TIER = "long"

ATTEMPTS = "journalctl -b -q -u causeway-stock.service -o json --output-fields=MESSAGE"


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
    client.boot()
    client.wait_for("systemctl is-active --quiet remote-fs-pre.target", timeout=60)
    client.wait_for(f"{ATTEMPTS} | grep -q exited", timeout=120)
    first = next(each for each in map(json.loads, client.run(ATTEMPTS).lines) if "exited" in each["MESSAGE"])
    reached = int(client.run("systemctl show -P ActiveEnterTimestampMonotonic remote-fs-pre.target").out)
    assert 0 < reached < int(first["__MONOTONIC_TIMESTAMP"]), (reached, first)
    server.boot()
    server.wait_for("[ $(causeway --json export list | grep -c '\"running\": true') = 2 ]", timeout=180)
    client.wait_for("[ $(causeway --json list | grep -c '\"attached\": true') = 2 ]", timeout=240)
    back = {disk["name"]: disk["disks"][0]["device"] for disk in stock.listed(client)}
    assert client.run(f"dd if={back['scratch']} bs=1M count=2 iflag=direct status=none | sha256sum").out == content
    assert client.run("systemctl is-failed causeway.service || true").out.strip() == "active"
    client.run("causeway detach --all", timeout=120)
    server.run("causeway export remove scratch && causeway export remove memory", timeout=120)
