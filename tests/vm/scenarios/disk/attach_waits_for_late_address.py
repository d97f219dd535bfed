# SPDX-License-Identifier: GPL-2.0-or-later
"""An attach finds a server whose address comes up while the client asks for it. No second attach is needed."""

TIER = "ci"
LEAVES = ("export",)


def scenario(rig):
    server, client = rig.server, rig.client
    netdev = server.run("ip -o -4 addr show to 10.0.0.1 | cut -d' ' -f2").out.strip()
    server.run("causeway export add m --ram 16M --allow any")
    server.run(f"ip addr del 10.0.0.1/24 dev {netdev}")
    client.run("ip neigh flush to 10.0.0.1")
    neighbours = client.start("ip monitor neigh")
    attach = client.start("causeway attach 10.0.0.1/m")
    neighbours.wait_for("FAILED", timeout=30)
    server.run(f"ip addr add 10.0.0.1/24 dev {netdev}")
    attach.wait(timeout=60)
    client.run("dd if=/dev/causeway/10.0.0.1/m of=/dev/null bs=1M iflag=direct")
    client.run("causeway detach 10.0.0.1/m")
