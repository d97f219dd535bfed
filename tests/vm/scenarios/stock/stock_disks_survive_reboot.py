# SPDX-License-Identifier: GPL-2.0-or-later
"""Exports and attachments by the kernel's own transports are there again after a reboot of both
machines. The network mounts of a client do not wait for a server that does not answer. "systemctl
reload causeway" gives a running export the initiators of its edited file, and a missing line opens
no export.

With BOOT_DELAYS=20 in the environment, the scenario measures 20 times how long causeway.service
delays network mounts."""
import json
import os
from statistics import median

from using import causeway, stock
from machine.topology import Disk, pair

KEEP = ("/etc/causeway", "/var/lib/causeway")
TOPOLOGY = pair(server={"init": "systemd", "keep": KEEP, "disks": (Disk("store", "64M"),)},
                client={"init": "systemd", "keep": KEEP}, packages=stock.PACKAGES)
TIER = "long"
LEAVES = ("attachment", "export", "file")

PROMISED = 10       # seconds
DELAYS = int(os.environ.get("BOOT_DELAYS", "0"))
ATTEMPTS = "journalctl -b -q -u causeway-stock.service -o json --output-fields=MESSAGE"


def delay(client):
    """Return how many seconds the last start of causeway.service delayed other units."""
    client.wait_for("systemctl is-active --quiet causeway.service", timeout=60)
    begun, done = (int(client.run(f"systemctl show -P {each}TimestampMonotonic causeway.service").out)
                   for each in ("InactiveExit", "ActiveEnter"))
    return (done - begun) / 1e6


def measure(client, first):
    """Measure the worst case: the name server does not answer either, and a look-up takes longer
    than the unit may."""
    client.run("ip neighbour replace 10.0.0.1 lladdr 02:00:00:00:00:fe nud permanent dev eth0 && "
               "cp /etc/hosts /etc/hosts.whole && sed '/server/d' /etc/hosts.whole >/etc/hosts && "
               "echo nameserver 10.0.0.1 >/etc/resolv.conf")
    delays = [first]
    while len(delays) < DELAYS:
        # Nothing is attached, as at boot. systemd refuses the sixth start within 10 s.
        client.run("systemctl stop causeway.service && causeway stop --all --force && "
                   "systemctl reset-failed && systemctl start causeway.service", timeout=360)
        delays.append(delay(client))
    client.run("cp /etc/hosts.whole /etc/hosts && ip neighbour delete 10.0.0.1 dev eth0")
    print(f"causeway.service let network mounts wait {median(delays):.2f} s in the median, {max(delays):.2f} s at most, of {len(delays)}")
    assert 0 < min(delays) and max(delays) <= PROMISED, delays


def edited_file(server):
    """nvmet ends no connection of a client that is no longer named, so the client goes on."""
    place = "/etc/causeway/stock-exports.d/scratch.conf"
    server.wait_for("systemctl is-active --quiet causeway.service", timeout=60)
    server.run(f"sed -i 's/^allow = any$/initiator = {stock.NVME_HOST}/' {place} && systemctl reload causeway", timeout=120)
    export = next(each for each in stock.listed(server, "export list") if each["name"] == "scratch")
    assert export["initiators"] == [stock.NVME_HOST], export
    assert server.run("ls /sys/kernel/config/nvmet/subsystems/*/allowed_hosts").lines == [stock.NVME_HOST]
    server.run(f"cp {place} /tmp/scratch.conf && sed -i '/^initiator = /d' {place}")
    server.fails("causeway reload", "reload would open 'scratch' to every host")
    server.run(f"cp /tmp/scratch.conf {place}")
    assert causeway.answer(server, "reload")["failed"] == []


def scenario(rig):
    server, client = rig.server, rig.client
    # All machines of this image would have the same name.
    client.run(f"echo InitiatorName={stock.INITIATOR} >/etc/iscsi/initiatorname.iscsi")
    server.run(f"causeway export add scratch --device {server.disk('store')} --via nvme --allow any", timeout=120)
    server.run("causeway export add memory --ram 8M --via iscsi --allow any", timeout=120)
    device = client.run("causeway attach server/scratch --via nvme", timeout=180).out.splitlines()[-1]
    client.run("causeway attach server/memory --via iscsi", timeout=180)
    client.run(f"dd if=/dev/urandom of={device} bs=1M count=2 oflag=direct conv=fsync status=none")
    server.run("causeway export add own --ram 8M --allow any")
    client.run("causeway attach server/own")
    content = client.run(f"dd if={device} bs=1M count=2 iflag=direct status=none | sha256sum").out

    client.shutdown()
    server.shutdown()
    client.boot()
    client.wait_for("systemctl is-active --quiet remote-fs-pre.target", timeout=60)
    client.wait_for(f"{ATTEMPTS} | grep -q exited", timeout=120)
    first = next(each for each in map(json.loads, client.run(ATTEMPTS).lines) if "exited" in each["MESSAGE"])
    reached = int(client.run("systemctl show -P ActiveEnterTimestampMonotonic remote-fs-pre.target").out)
    assert 0 < reached < int(first["__MONOTONIC_TIMESTAMP"]), (reached, first)
    waited = delay(client)
    print(f"causeway.service let network mounts wait {waited:.2f} s")
    assert 0 < waited <= PROMISED
    if DELAYS:
        measure(client, waited)
    server.boot()
    server.wait_for("[ $(causeway --json export list | grep -c '\"running\": true') = 2 ]", timeout=180)
    client.wait_for("[ $(causeway --json list | grep -c '\"attached\": true') = 2 ]", timeout=240)
    client.wait_for("[ -b /dev/causeway/server/own ]", timeout=120)
    back = {disk["name"]: disk["disks"][0]["device"] for disk in stock.listed(client)}
    assert client.run(f"dd if={back['scratch']} bs=1M count=2 iflag=direct status=none | sha256sum").out == content
    assert client.run("systemctl is-failed causeway.service || true").out.strip() == "active"
    edited_file(server)
    assert client.run(f"dd if={back['scratch']} bs=1M count=2 iflag=direct status=none | sha256sum").out == content
    client.run("causeway detach --all", timeout=120)
    server.run("causeway export remove scratch && causeway export remove memory && causeway export remove own", timeout=120)
