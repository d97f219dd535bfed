# SPDX-License-Identifier: GPL-2.0-or-later
"""The client's I/O to a broken part of the backend fails with EIO. The rest of the disk works on,
over the same connection."""

from machine.needs import module
from using import causeway, verified

TIER = "check"
LONG_KERNELS = ("kasan",)
REQUIRES = (module("brd"),)
DISK = "/dev/causeway/10.0.0.1/d"
GOOD = "'0 131072 linear /dev/ram0 0'"
# The third quarter is broken.
BROKEN = "$'0 65536 linear /dev/ram0 0\n65536 32768 error\n98304 32768 linear /dev/ram0 98304'"


def scenario(rig):
    server, client = rig.server, rig.client
    server.run(f"modprobe dm_mod; modprobe brd rd_nr=1 rd_size=65536 && dmsetup create backend --table {GOOD}")
    server.run("causeway export add d --device /dev/mapper/backend --allow any")
    client.run("causeway attach 10.0.0.1/d")
    fio = verified.start(client, DISK, "--rw=randwrite --bs=16k --iodepth=4 --size=12M")
    server.run(f"dmsetup reload backend --table {BROKEN} && dmsetup resume backend")
    for size, skip in (("4k", 10000), ("1M", 40)):
        client.fails(f"dd if={DISK} of=/dev/null bs={size} skip={skip} count=1 iflag=direct", "Input/output error")
        client.fails(f"dd if=/dev/zero of={DISK} bs={size} seek={skip} count=1 oflag=direct conv=notrunc",
                     "Input/output error")
    client.fails(f"dd if={DISK} of=/dev/null bs=1M skip=40 count=1", "Input/output error")
    client.fails(f"blkdiscard -z -o 40M -l 1M {DISK}", "Input/output error")
    client.run(f"dd if=/dev/urandom of={DISK} bs=1M seek=50 count=4 oflag=direct conv=notrunc")
    assert "err= 0" in fio.wait(timeout=120).out, fio.out
    state = causeway.connection(client)
    assert state["state"] == "live" and state["reconnects"] == 0, state
    errors = [each["counters"]["errors"] for each in causeway.answer(client, "stat")["stats"]]
    assert errors[0] >= 5, errors

    server.run(f"dmsetup reload backend --table {GOOD} && dmsetup resume backend")
    client.run(f"dd if=/dev/urandom of={DISK} bs=1M seek=30 count=12 oflag=direct conv=notrunc")
    client.run(f"dd if={DISK} of=/dev/null bs=1M iflag=direct")
    assert causeway.connection(client)["reconnects"] == 0, causeway.connection(client)
    client.run("causeway detach 10.0.0.1/d")
    server.run("causeway export remove d && dmsetup remove backend && modprobe -r brd")
