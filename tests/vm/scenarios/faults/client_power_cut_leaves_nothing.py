# SPDX-License-Identifier: GPL-2.0-or-later
"""A client that loses power during a write leaves nothing at the server. The server admits the
client again, also to an exclusive export."""

from using.resources import RESOURCES
from machine.topology import pair
from using import causeway

TOPOLOGY = pair(client={"keep": ("/etc/machine-id.d", "/var/lib/causeway")})
TIER = "ci"
LEAVES = ("export",)

DISK = "/dev/causeway/10.0.0.1/m"
DETECTION = 40          # s


def scenario(rig):
    server, client = rig.server, rig.client
    # The time is so long that the server has not detected the loss when the client is back. The
    # client starts with the same numbers of queue pairs, so the connection manager calls its first
    # connection stale.
    server.run(f"modprobe causeway && echo {1000 * DETECTION} > /sys/module/causeway/parameters/dead_ms")
    server.run("causeway export add m --ram 64M --exclusive --allow any")
    resources = server.run(RESOURCES).out.strip()
    client.run("causeway attach 10.0.0.1/m")
    events = causeway.watch(server)
    fio = client.start(f"fio --name=cut --filename={DISK} --direct=1 --ioengine=libaio --rw=randwrite --bs=64k "
                       "--iodepth=16 --size=32M --loops=100 --status-interval=1")
    fio.wait_for("IOPS", timeout=60)
    client.power_cut()
    client.boot()
    # The old session still exists and does not answer: the host's new boot replaces it after the
    # return time.
    client.run("causeway attach 10.0.0.1/m", timeout=3 * DETECTION)
    client.run(f"dd if=/dev/zero of={DISK} bs=1M count=4 oflag=direct")
    client.run("causeway detach 10.0.0.1/m")
    events.wait_for("goodbye", timeout=60)
    assert causeway.connections(server) == []
    server.wait_for(f"[ \"$({RESOURCES})\" = '{resources}' ]", timeout=30)
