# SPDX-License-Identifier: GPL-2.0-or-later
"""Software adapters with the limits of real ones (tests/modules/adapter_limits): login, bulk I/O
and NFS within these limits.

Call load() before the modules that use RDMA are loaded, and take() while no disk is attached and
nothing is mounted.
"""

from . import nfs

PARAMETERS = "/sys/module/adapter_limits/parameters"
# Requests of every size that fits into a message, and larger ones, for which memory is registered.
FIO = "fio --direct=1 --ioengine=libaio --rw=randwrite --verify=crc32c --verify_fatal=1"


def load(*hosts):
    for host in hosts:
        host.run("modprobe adapter_limits")


def take(adapter, *hosts):
    """Give new connections the limits of this adapter."""
    for host in hosts:
        host.run(f"echo {adapter} >{PARAMETERS}/adapter")
        assert host.read(f"{PARAMETERS}/adapter").strip() == adapter


def refused_nothing(adapter, *hosts):
    """Check that no host exceeded the limits of its adapter."""
    for host in hosts:
        refused = int(host.read(f"{PARAMETERS}/refused"))
        assert not refused, (adapter, host.name, refused, host.run("dmesg | grep 'adapter_limits: ' | tail -n 5").out)


def carries(adapter, hosts, client, address, server="server"):
    """Check that the export "m" of an address, and a mount of NFS, can be used with the adapter."""
    take(adapter, *hosts)
    disk = f"/dev/causeway/{address}/m"
    client.run(f"causeway attach {address}/m")
    client.run(f"{FIO} --name={adapter} --filename={disk} --bsrange=4k-1M --iodepth=8 --size=16M --minimal >/dev/null", timeout=120)
    client.run(f"udevadm settle && causeway detach {address}/m")
    nfs.mount(client, "4.2", server=server)
    client.run(f"{FIO} --name={adapter} --directory={nfs.MOUNTED} --bsrange=512-1000000 --bs_unaligned --iodepth=8 --size=4M "
               f"--fallocate=none --minimal >/dev/null && rm {nfs.MOUNTED}/{adapter}.*", timeout=120)
    nfs.unmount(client)
    refused_nothing(adapter, *hosts)


class Load:
    """Verified I/O of small and large requests on an attached disk and a mount, until end(). None
    of it may fail."""

    def __init__(self, client, address):
        self.client = client
        self.disk = client.start(
            f"until [ -e /tmp/enough-disk ]; do {FIO} --name=cut --filename=/dev/causeway/{address}/m --bssplit=4k/60:256k/40 "
            "--iodepth=8 --size=4M --minimal >/tmp/disk.fio 2>&1 || { cat /tmp/disk.fio; exit 1; }; echo verified; done")
        self.files = nfs.Load(client, calls=False)
        self.goes_on()

    def goes_on(self):
        """Wait until both have made progress from now on. Each needs two rounds, because the first
        one began earlier."""
        self.disk.skip()
        for _ in range(2):
            self.disk.wait_for("verified", timeout=120)
        self.files.goes_on()

    def end(self):
        self.goes_on()
        self.files.end()
        self.client.run("touch /tmp/enough-disk")
        self.disk.wait(timeout=120)
        self.client.run("rm /tmp/enough-disk")
