# SPDX-License-Identifier: GPL-2.0-or-later
"""A server that falls silent is given up after five seconds. With --io-timeout, I/O fails that long after, not earlier and not much
later; a path that returns ends it."""
import re


TIER = "check"
CI_KERNELS = ("lockdep",)
DISK = "/dev/causeway/10.0.0.1/m"
NEVER = 27      # ACK timeout of 9 minutes and seven retries: queue pairs do not tell of a loss by themselves


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 64M")
    client.run(f"modprobe causeway && echo {NEVER} >/sys/module/causeway/parameters/ack_timeout")
    client.run("causeway attach 10.0.0.1/m --io-timeout 2")
    events = client.start("causeway watch")
    events.wait_for("watching")
    client.run("dmesg -C; echo causeway-test cut >/dev/kmsg")
    server.link_down()
    reader = client.start(f"dd if={DISK} of=/dev/null bs=4k count=1 iflag=direct")
    result = reader.wait(timeout=90, check=False)
    assert result.rc != 0 and "Input/output error" in result.out, result.out
    said = client.run("dmesg").out
    cut, lost, failed = (float(re.search(rf"\[ *([\d.]+)\] {what}", said).group(1)) for what in (
        "causeway-test cut", "causeway: 10.0.0.1/m: connection lost: the server was silent on", "I/O error, dev causeway"))
    print(f"the server was given up {lost - cut:.3f} s after its cable was cut, and I/O failed {failed - lost:.3f} s after that")
    # The server was heard for the last time up to a second before, and a second may pass until the first probe.
    assert rig.kernel_name != "stock" or 3 <= lost - cut < 8, said
    # A jiffy is 4 ms, and the time begins after the message. Attempts to connect do not put it off.
    assert 1.99 <= failed - lost < 6, said
    server.link_up()
    events.wait_for("live over", timeout=90)
    client.run(f"dd if={DISK} of=/dev/null bs=4k count=1 iflag=direct")
