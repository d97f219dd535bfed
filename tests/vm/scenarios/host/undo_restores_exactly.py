# SPDX-License-Identifier: GPL-2.0-or-later
"""The command sets up a software device and a limit, shows them, repeats the setup without effect,
and takes everything back to the byte."""
import json

from machine.topology import HostSpec, Topology

TOPOLOGY = Topology(hosts=(HostSpec("host"),), rdma="none")
TIER = "ci"

# All files and links under /etc, with modes and the targets of links.
ETC = "find /etc -xdev \\( -type f -o -type l \\) -printf '%m %p %l\\n' | sort; find /etc -xdev -type f -exec sha256sum {} + | sort"


def scenario(rig):
    host = rig.host
    before = host.run(ETC).out
    loaded = "lsmod | grep -c ^rdma_rxe || true"
    assert host.run(loaded).out.strip() == "0"
    assert "no RDMA device" in host.run("causeway show").out

    plan = host.run("causeway soft add rxe eth0 --dry-run").out
    assert "+rxe rxe0 on eth0" in plan and "+rdma_rxe" in plan, plan
    assert host.run(ETC).out == before and host.run(loaded).out.strip() == "0"

    assert json.loads(host.run("causeway --json soft add rxe eth0").out)["device"] == "rxe0"
    device, = json.loads(host.run("causeway --json show").out)["devices"]
    port, = device["ports"]
    assert (device["name"], device["soft"], device["netdev"]) == ("rxe0", "rxe", "eth0"), device
    assert port["state"] == "ACTIVE" and "RoCE v2" in {gid["type"] for gid in port["gids"]}, port
    assert "Soft-RoCE (rxe) on eth0" in host.run("causeway show rxe0").out
    assert "nothing to do" in host.run("causeway soft add rxe eth0").out

    host.run("causeway limits set 64M --for '*' root")
    assert host.run("cat /etc/security/limits.d/causeway-memlock.conf").out.endswith("* - memlock 65536\nroot - memlock 65536\n")
    assert "nothing to do" in host.run("causeway limits set 64M --for '*' root").out
    host.run("causeway limits set unlimited --for '*'")

    # Undo refuses an older change that a newer one covers, and a change whose file another program has edited.
    host.fails("causeway undo 2", "changed since.*causeway undo 3|causeway undo 3")
    host.run("causeway undo --last")
    host.run("cp -a /etc/security/limits.d/causeway-memlock.conf /tmp/kept; echo '# mine' >>/etc/security/limits.d/causeway-memlock.conf")
    host.fails("causeway undo --last", "changed since by another program")
    host.run("mv /tmp/kept /etc/security/limits.d/causeway-memlock.conf")
    host.run("causeway undo --last")
    host.run("causeway undo --last")
    assert host.run(ETC).out == before
    assert "no RDMA device" in host.run("causeway show").out
    assert host.run(loaded).out.strip() == "0"
    assert "nothing to undo" in host.run("causeway undo --last").out

    host.run("causeway soft add rxe eth0 --name soft.0")
    host.run("causeway soft remove eth0")
    assert "nothing to do" in host.run("causeway soft remove eth0").out
    host.fails("causeway soft add rxe eth9", "no network device eth9")
    assert "no RDMA device" in host.run("causeway show").out
    host.run("causeway undo --last && causeway show soft.0 && causeway undo 4")
    assert "no RDMA device" in host.run("causeway show").out and host.run(ETC).out == before
