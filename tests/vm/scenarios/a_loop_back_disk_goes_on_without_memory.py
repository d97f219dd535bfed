# SPDX-License-Identifier: GPL-2.0-or-later
"""A file system on a disk that the server attached from itself is written with more than all memory holds, and keeps its content."""
from rig.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "1G"),), "memory": 320})
TIER = "long"
KERNELS = ("stock",)

DISK = "/dev/causeway/10.0.0.1/m"
MIB = 600


def stalls(host):
    return int(host.run("awk '/^allocstall/ { n += $2 } END { print n }' /proc/vmstat").out)


def scenario(rig):
    server = rig.server
    server.run(f"modprobe ext4; causeway export add m --device {server.disk('store')} && causeway attach 10.0.0.1/m")
    # Dirty pages may fill most of the memory before anybody has to wait.
    server.run("echo 80 > /proc/sys/vm/dirty_ratio && echo 70 > /proc/sys/vm/dirty_background_ratio")
    server.run(f"mkfs.ext4 -q {DISK} && mkdir -p /mnt/m && mount {DISK} /mnt/m")
    before = stalls(server)
    server.run(f"yes 0123456789abcdef | head -c {MIB}M | tee /mnt/m/file | sha256sum >/tmp/sum && sync", timeout=300)
    short = stalls(server) - before
    rig.say(f"allocations that had to reclaim memory themselves: {short}")
    assert short > 0, "memory was never short"
    server.run("umount /mnt/m && echo 3 >/proc/sys/vm/drop_caches && mount " + f"{DISK} /mnt/m")
    server.run("[ \"$(sha256sum </mnt/m/file)\" = \"$(cat /tmp/sum)\" ]", timeout=300)
    server.run("umount /mnt/m && causeway detach 10.0.0.1/m && causeway export remove m")
