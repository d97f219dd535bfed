# SPDX-License-Identifier: GPL-2.0-or-later
"""With --io-timeout, I/O without a path fails after that time, not earlier and not much later; a path that returns ends it."""
import re


TIER = "check"
CI_KERNELS = ("lockdep",)
DISK = "/dev/causeway/10.0.0.1/m"


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 64M")
    client.run("causeway attach 10.0.0.1/m --io-timeout 2")
    events = client.start("causeway watch")
    events.wait_for("watching")
    client.run("dmesg -C")
    client.link_down()
    reader = client.start(f"dd if={DISK} of=/dev/null bs=4k count=1 iflag=direct")
    result = reader.wait(timeout=90, check=False)
    assert result.rc != 0 and "Input/output error" in result.out, result.out
    said = client.run("dmesg").out
    lost, failed = (float(re.search(rf"\[ *([\d.]+)\] {what}", said).group(1))
                    for what in ("causeway: 10.0.0.1/m: connection lost", "I/O error, dev causeway"))
    print(f"I/O failed after {failed - lost:.3f} s")
    # A jiffy is 4 ms, and the time begins after the message. Attempts to connect do not put it off.
    assert 1.99 <= failed - lost < 6, said
    client.link_up()
    events.wait_for("live over", timeout=90)
    client.run(f"dd if={DISK} of=/dev/null bs=4k count=1 iflag=direct")
