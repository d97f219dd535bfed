# SPDX-License-Identifier: GPL-2.0-or-later
"""An HCA taken away with IPoIB and a disk on it leaves nothing behind, and with its return the disk goes on."""
from rig import simhca

TOPOLOGY = simhca.TOPOLOGY
LONG = True
LONG_KERNELS = ("lockdep", "kasan")

DISK = "/dev/causeway/10.20.0.2/m"


def scenario(rig):
    host = rig.host
    simhca.load(host)
    manager = simhca.start_sm(host)
    simhca.wait_state(host, "ACTIVE")
    simhca.attach_ipoib(host)
    host.run("causeway export add m --ram 64M && causeway attach 10.20.0.2/m")
    events = host.start("causeway watch")
    events.wait_for("watching")
    fio = host.start(f"fio --name=gone --filename={DISK} --direct=1 --ioengine=libaio --rw=randrw --bs=16k --iodepth=8 "
                     "--size=16M --loops=2 --verify=crc32c --verify_fatal=1 --status-interval=1")
    fio.wait_for("IOPS")
    manager.kill(9)
    # Returns only when everything on the device is gone.
    simhca.fault(host, "present", 0, port=None)
    assert not host.run("ls /sys/class/infiniband; ls -d /sys/class/net/ib* 2>/dev/null || :").out.split()
    events.wait_for("down", timeout=60)
    simhca.fault(host, "present", 1, port=None)
    manager = simhca.start_sm(host)
    simhca.wait_state(host, "ACTIVE")
    simhca.attach_ipoib(host)
    events.wait_for("live over", timeout=120)
    assert "err= 0" in fio.wait(timeout=240).out
    host.run("causeway detach --all && causeway stop")
    simhca.unload(host)
    manager.kill(9)
