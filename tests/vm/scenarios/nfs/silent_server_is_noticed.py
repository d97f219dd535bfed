# SPDX-License-Identifier: GPL-2.0-or-later
"""A client detects that its queue pair no longer sends although the adapter reports no error, and
calls go on over a new queue pair. Soft-RoCE can stop a queue pair without an error when it repeats
a message that a registration of memory follows. In this scenario the queue pair waits minutes for
an acknowledgement."""
import re

from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"

ACK_TIMEOUT = "/sys/module/causeway/parameters/ack_timeout"
MINUTES = 27        # the adapter repeats a message after 9 minutes, six times
PATIENCE = 30       # seconds until a probe has to be acknowledged
LOOK = 5            # seconds between two checks: the first one that detects silence sends a probe, a later one gives up


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.start(rig)
    client.run("modprobe causeway")
    usual = client.read(ACK_TIMEOUT).strip()
    client.write(ACK_TIMEOUT, str(MINUTES))
    nfs.mount(client, "3")
    client.write(ACK_TIMEOUT, usual)
    client.run(f"echo before >{nfs.MOUNTED}/file && sync")
    # The interface stays up and its neighbour entry valid: the kernel would report a change of either.
    server.run("nft add table ip silent && nft add chain ip silent in '{ type filter hook prerouting priority -300; }' && "
               "nft add rule ip silent in udp dport 4791 drop")
    client.run("dmesg -C; echo causeway-test waits >/dev/kmsg")
    call = client.start(f"exec stat -f {nfs.MOUNTED}")
    client.wait_for("dmesg | grep -q 'the connection was lost'", timeout=120)
    said = client.run("dmesg").out
    begun, lost = (float(re.search(rf"\[ *([\d.]+)\] {what}", said).group(1)) for what in (
        "causeway-test waits", f"causeway: nfs server .*: the connection was lost: a probe was not acknowledged within {PATIENCE} s"))
    rig.say(f"the queue pair was given up {lost - begun:.1f} s after the call")
    assert PATIENCE <= lost - begun <= PATIENCE + 3 * LOOK + 3, said
    server.run("nft delete table ip silent")
    call.wait(timeout=120)
    client.run(f"echo after >>{nfs.MOUNTED}/file")
    assert server.read(f"{nfs.EXPORTED}/file") == "before\nafter\n"
    nfs.finish(rig)
