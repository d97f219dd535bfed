# SPDX-License-Identifier: GPL-2.0-or-later
"""With --io-timeout, I/O without a path fails after that time instead of waiting; a path that returns ends it."""

TIER = "check"
CI_KERNELS = ("lockdep",)
DISK = "/dev/causeway/10.0.0.1/m"


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 64M")
    client.run("causeway attach 10.0.0.1/m --io-timeout 2")
    events = client.start("causeway watch")
    events.wait_for("watching")
    client.link_down()
    reader = client.start(f"dd if={DISK} of=/dev/null bs=4k count=1 iflag=direct")
    result = reader.wait(timeout=90, check=False)
    assert result.rc != 0 and "Input/output error" in result.out, result.out
    client.link_up()
    events.wait_for("live over", timeout=90)
    client.run(f"dd if={DISK} of=/dev/null bs=4k count=1 iflag=direct")
