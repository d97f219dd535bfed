# SPDX-License-Identifier: GPL-2.0-or-later
"""Detaching a disk in use is refused; by force its I/O ends with errors, at once, with and without a path."""

TIER = "ci"
KERNELS = ("lockdep",)
LONG_KERNELS = ("stock", "kasan")
DISK = "/dev/causeway/10.0.0.1/m"
FIO = (f"fio --name=f --filename={DISK} --direct=1 --ioengine=libaio --rw=randrw --bs=32k --iodepth=8 --size=32M "
       "--time_based --runtime=600 --status-interval=1")


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 64M")
    for pulled in (False, True):
        client.run("causeway attach 10.0.0.1/m")
        fio = client.start(FIO)
        fio.wait_for("IOPS", timeout=60)
        client.fails("causeway detach 10.0.0.1/m", "in use")
        if pulled:
            client.link_down()
        # Without a path the server cannot say goodbye, which is waited for no longer than 1 s.
        took = int(client.run("began=$(date +%s%N); causeway detach 10.0.0.1/m --force >/dev/null; echo $((($(date +%s%N) - began) / 1000000))").out)
        print(f"detached in {took} ms")
        assert took < 5000 * client.agent.scale, took
        result = fio.wait(timeout=15, check=False)
        assert "error" in result.out, result.out
        if pulled:
            client.link_up()
        assert client.run("ls /dev/causeway/10.0.0.1 2>/dev/null || true").out.strip() == ""
