# SPDX-License-Identifier: GPL-2.0-or-later
"""A program that writes to the queue's folder in sysfs while a disk has no path delays no
reconnect. The settings that an administrator made there stay."""
from machine.topology import Disk, pair
from using import causeway

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"),)})
TIER = "ci"
LONG_KERNELS = ("lockdep",)
LEAVES = ("export",)

LINK = "/dev/causeway/10.0.0.1/d"


def scenario(rig):
    server, client = rig.server, rig.client
    server.run(f"causeway export add d --device {server.disk('store')} --allow any")
    client.run("causeway attach 10.0.0.1/d")
    queue = f"/sys/block/{client.run(f'basename $(readlink -f {LINK})').out.strip()}/queue"
    assert client.read(f"{queue}/write_cache") == "write back\n"
    most = int(client.read(f"{queue}/discard_max_bytes"))
    assert most > 65536, most
    events = causeway.watch(client)

    # The server ends, and the cable stays plugged in: Soft-RoCE of Linux 5.10 crashes when packets
    # outlive their connection.
    server.run("causeway stop --force")
    events.wait_for("down", timeout=60)
    writer = client.start(f"dd if=/dev/zero of={LINK} bs=4k count=1 oflag=direct")
    # dd is in write(2), which is call 1 on x86-64. While dd opens the device, the setters would
    # come first.
    client.wait_for("dd=/proc/$(pgrep -x dd); grep -q 'State:.D' $dd/status && grep -q '^1 ' $dd/syscall")
    # Newer kernels hold the queue's limits here until the write has ended.
    setters = [client.start(f"echo 65536 >{queue}/discard_max_bytes"), client.start(f"echo write through >{queue}/write_cache")]
    client.wait_for(f"grep -q blk_mq_freeze /proc/[0-9]*/wchan || [ $(cat {queue}/discard_max_bytes) = 65536 ]")
    assert writer.running
    server.run("causeway restore")
    events.wait_for("live over", timeout=90)
    writer.wait(timeout=30)
    for setter in setters:
        setter.wait(timeout=30)
    kept(client, queue)

    # The settings also stay over a reconnect that begins after they were made.
    server.run("causeway stop --force && causeway restore")
    events.wait_for("live over", timeout=90)
    client.run(f"dd if={LINK} of=/dev/null bs=4k count=1 iflag=direct")
    kept(client, queue)
    client.run("udevadm settle; causeway detach 10.0.0.1/d", timeout=30)


def kept(client, queue):
    assert client.read(f"{queue}/discard_max_bytes") == "65536\n", client.read(f"{queue}/discard_max_bytes")
    assert client.read(f"{queue}/write_cache") == "write through\n", client.read(f"{queue}/write_cache")
