# SPDX-License-Identifier: GPL-2.0-or-later
"""A client refuses a new memory export of the old name as another disk: its users get errors, never
old or empty data."""
from using import causeway

TIER = "ci"
KERNELS = ("stock", "kasan")
LEAVES = ("attachment", "export")
DISK = "/dev/causeway/10.0.0.1/m"


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 64M --allow any")
    client.run("causeway attach 10.0.0.1/m")
    events = causeway.watch(client)
    server.run("causeway export remove m --force")
    events.wait_for("down", timeout=60)
    reader = client.start(f"dd if={DISK} of=/dev/null bs=4k count=1 iflag=direct")
    server.run("causeway export add m --ram 64M --allow any")
    events.wait_for("another disk", timeout=60)
    result = reader.wait(timeout=60, check=False)
    assert result.rc != 0 and "Input/output error" in result.out, result.out
    connection = causeway.connection(client)
    assert connection["state"] == "refused" and "another disk" in connection["reason"], connection
    client.run("causeway detach 10.0.0.1/m")
    client.run("causeway attach 10.0.0.1/m")
    client.run(f"dd if={DISK} of=/dev/null bs=4k count=1 iflag=direct")
