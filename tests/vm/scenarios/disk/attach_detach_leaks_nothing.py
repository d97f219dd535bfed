# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk is attached, used and detached twenty times, and the modules are unloaded in between. No
memory and no RDMA object is left behind."""
from machine.topology import pair

TOPOLOGY = pair(leaks=True)
TIER = "long"
KERNELS = ("lockdep",)

CYCLE = """
for ((i = 0; i < 5; i++)); do
	causeway attach 10.0.0.1/m --depth 8 --queues 1 --no-persist >/dev/null &&
	dd if=/dev/zero of=/dev/causeway/10.0.0.1/m bs=8k count=1 oflag=direct status=none &&
	causeway detach 10.0.0.1/m || exit 1
done
"""


def objects(host):
    return host.run("rdma resource show | tr -s ' '").out


def scenario(rig):
    server, client = rig.server, rig.client
    before = objects(server), objects(client)
    for _ in range(4):
        server.run("causeway export add m --ram 8M --no-persist --allow any")
        client.run(CYCLE, timeout=240)
        server.run("causeway export remove m")
        client.run("modprobe -r causeway_disk")
        server.run("modprobe -r causeway_target")
        for host in (server, client):
            assert "causeway" not in host.run("cat /proc/modules").out
        after = objects(server), objects(client)
        assert after == before, (before, after)
