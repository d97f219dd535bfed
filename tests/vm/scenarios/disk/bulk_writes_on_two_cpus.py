# SPDX-License-Identifier: GPL-2.0-or-later
"""Verified I/O of all sizes on two disks keeps its content when both hosts post and complete on two
processors. One disk is in the server's memory, which the server sends as it is. The data of the
other disk goes through memory of its transfer."""

from machine.needs import module

KERNELS = ("kasan",)
TIER = "long"
REQUIRES = (module("brd"),)
LEAVES = ("export",)

DISKS = tuple(f"/dev/causeway/10.0.0.1/{name}" for name in ("a", "b"))


def scenario(rig):
    rig.server.run("modprobe brd rd_nr=1 rd_size=32768 && causeway export add a --ram 32M --allow any && causeway export add b --device /dev/ram0 --allow any")
    for disk in DISKS:
        rig.client.run(f"causeway attach 10.0.0.1/{disk[-1]} --queues 2")
    jobs = " ".join(f"--name={disk[-1]} --filename={disk}" for disk in DISKS)
    # Above 16 KiB the server fetches the data by RDMA READ, whose completion frees the transfer.
    result = rig.client.run(
        "fio --direct=1 --ioengine=libaio --rw=randwrite --bsrange=4k-256k --iodepth=16 --size=16M --numjobs=2 "
        f"--offset_increment=16M --loops=2 --verify=crc32c --verify_fatal=1 {jobs}", timeout=200)
    assert result.out.count("err= 0") == 2 * len(DISKS), result.out
    rig.client.run("udevadm settle; causeway detach --all")
    rig.server.run("causeway stop --force && modprobe -r brd")
