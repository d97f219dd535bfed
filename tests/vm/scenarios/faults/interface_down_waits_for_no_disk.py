# SPDX-License-Identifier: GPL-2.0-or-later
"""A server's network interface goes down at once while commands of its clients wait for a disk that
hangs. The connection manager keeps none of their connections, so it cannot send anything for them
again."""

from machine.needs import module
from using import causeway
TIER = "ci"
REQUIRES = (module("brd"),)

DISK = "/dev/causeway/10.0.0.1/hung"
AT_ONCE_MS = 900    # the kernel module waits for connections for a second at most, and used to do so each time
TAKE_DOWN = "began=$(date +%s%N); ip link set eth0 down; echo $((($(date +%s%N) - began) / 1000000))"


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("modprobe dm_mod; modprobe brd rd_nr=1 rd_size=16384 && dmsetup create hung --table '0 32768 linear /dev/ram0 0' && "
               "causeway export add hung --device /dev/mapper/hung --allow any")
    client.run("causeway attach 10.0.0.1/hung")
    events = causeway.watch(client)
    server.run("dmsetup suspend --noflush hung")
    writer = client.start(f"dd if=/dev/zero of={DISK} bs=4k count=1 oflag=direct status=none")
    server.wait_for("causeway stat | grep -qE '^ *writes +1$'")

    took = int(server.run(TAKE_DOWN).out)
    print(f"the interface went down in {took} ms")
    left = server.run("rdma resource show cm_id | grep 'dst-addr 10.0.0.2:' || :").out
    # The session still waits for the disk.
    server.run("causeway --json net | grep -q '\"state\": *\"closing\"'")
    assert not left, left
    assert took < AT_ONCE_MS, took

    server.run("ip link set eth0 up && dmsetup resume hung")
    events.wait_for("live over", timeout=60)
    writer.wait(timeout=60)
    client.run("causeway detach 10.0.0.1/hung")
    server.run("causeway export remove hung && dmsetup remove hung && modprobe -r brd")
