# SPDX-License-Identifier: GPL-2.0-or-later
"""The client refuses writes to a read-only export. The server refuses those that reach it
nevertheless."""

from machine.needs import module
from using import causeway

TIER = "check"
REQUIRES = (module("brd"),)
DISK = "/dev/causeway/10.0.0.1/r"
WRITE = "dd if=/dev/zero of={0} bs={1} count=1 oflag=direct conv=notrunc"


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("modprobe dm_mod; modprobe brd rd_nr=1 rd_size=32768 && dd if=/dev/urandom of=/dev/ram0 bs=1M count=4")
    before = server.run("sha256sum </dev/ram0").out
    server.run("causeway export add r --device /dev/ram0 --read-only --allow any")
    client.run("causeway attach 10.0.0.1/r")

    assert causeway.attachment(client)["read_only"]
    refused = "Read-only|not permitted"
    for size in ("4k", "1M"):
        client.fails(WRITE.format(DISK, size), refused)
    client.run(f"blockdev --setrw {DISK} || true")
    for command in (WRITE.format(DISK, "4k"), f"blkdiscard {DISK}", f"blkdiscard -z {DISK}", f"mkfs.ext4 -qF {DISK}"):
        client.fails(command)

    # A driver on top of the disk does not check whether the disk is read-only, so its writes reach
    # the server.
    client.run(f"modprobe dm_mod; dmsetup create past --table \"0 $(blockdev --getsz {DISK}) linear {DISK} 0\"")
    for size in ("4k", "1M"):
        client.fails(WRITE.format("/dev/mapper/past", size), "Input/output error")
    errors = [each["counters"]["errors"] for each in causeway.answer(server, "stat")["stats"]]
    assert errors[0] >= 2, errors
    client.run("dmsetup remove past")

    assert client.run(f"sha256sum <{DISK}").out == before
    assert server.run("sha256sum </dev/ram0").out == before
    connection = causeway.connection(client)
    assert connection["state"] == "live" and connection["reconnects"] == 0, connection
    client.run("causeway detach 10.0.0.1/r")
    server.run("causeway export remove r && modprobe -r brd")
