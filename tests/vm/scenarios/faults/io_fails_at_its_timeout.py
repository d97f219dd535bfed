# SPDX-License-Identifier: GPL-2.0-or-later
"""A client gives a silent server up after five seconds. With --io-timeout, I/O fails that long
after the loss, not earlier and not much later. I/O of a disk with a very long timeout waits, and
completes when the path is back."""
import re

from using import causeway


TIER = "check"
LONG_KERNELS = ("lockdep",)
LEAVES = ("attachment", "export")
DISK, PATIENT = "/dev/causeway/10.0.0.1/m", "/dev/causeway/10.0.0.1/n"
TIMEOUT = 4
# Seconds. In jiffies of 4 ms the timeout needs 33 bits; its lower 32 bits are 0.8 s.
YEARS = 17179870
NEVER = 27      # ACK timeout of 9 minutes and seven retries: queue pairs do not report a loss by themselves
READ = "dd if={} of=/dev/null bs=4k count=1 iflag=direct"
WRITE = "dd if=/dev/zero of={} bs=4k count=1 oflag=direct conv=notrunc"


def time_of(what, said):
    found = re.search(rf"\[ *([\d.]+)\] {what}", said)
    assert found, (what, said)
    return float(found.group(1))


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 64M --allow any && causeway export add n --ram 64M --allow any")
    client.run(f"modprobe causeway && echo {NEVER} >/sys/module/causeway/parameters/ack_timeout")
    client.run(f"causeway attach 10.0.0.1/m --io-timeout {TIMEOUT}")
    # The command takes no timeout above a day.
    client.run(f"causeway-netlink attach server=10.0.0.1 name=n address=10.0.0.1 host=1 io-timeout={YEARS} connect-timeout=2000")
    client.wait_for(f"[ -b {PATIENT} ]")
    device = client.run(f"basename $(readlink -f {DISK})").out.strip()
    events = causeway.watch(client)
    client.run("dmesg -C; echo causeway-test cut >/dev/kmsg")
    server.link_down()
    patient = client.start(READ.format(PATIENT))
    reader = client.start(READ.format(DISK))
    writer = client.start(WRITE.format(DISK))
    for job in reader, writer:
        result = job.wait(timeout=90, check=False)
        assert result.rc != 0 and "Input/output error" in result.out, result.out
    # Each session detects the loss by itself.
    client.wait_for("dmesg | grep -q 'causeway: 10.0.0.1/n: connection lost'")
    said = client.run("dmesg").out
    cut = time_of("causeway-test cut", said)
    failed, write_failed = (time_of(rf"I/O error, dev {device}, sector \d+ op 0x\d:\({kind}\)", said) for kind in ("READ", "WRITE"))
    lost, patient_lost = (time_of(f"causeway: 10.0.0.1/{name}: connection lost: the server was silent on", said) for name in "mn")
    print(f"the server was given up {lost - cut:.3f} s after its cable was cut, and I/O failed {failed - lost:.3f} s after that")
    # The last message of the server came up to a second before the cut, and a second may pass until
    # the first probe.
    assert rig.kernel_name != "stock" or 3 <= lost - cut < 8, said
    # A jiffy is 4 ms, and the time begins after the message. Attempts to connect do not delay the
    # end.
    assert TIMEOUT - 0.01 <= failed - lost < TIMEOUT + 4, said
    assert TIMEOUT - 0.01 <= write_failed - lost < TIMEOUT + 4, said
    # The other disk is without a path for longer than the lower bits of its timeout, and its
    # session has failed to connect.
    events.wait_for("attempt-failed 10.0.0.1/n", timeout=30)
    client.wait_for("echo causeway-test later >/dev/kmsg; "
                    rf"[ $(dmesg | sed -n 's/^\[ *\([0-9]*\)\..*causeway-test later/\1/p' | tail -n 1) -gt {int(patient_lost) + 1} ]")
    server.link_up()
    events.wait_for("up 10.0.0.1/m.*live over", timeout=90)
    client.run(READ.format(DISK))
    client.run(WRITE.format(DISK), timeout=30)      # no write is held after the login
    patient.wait(timeout=90)
