# SPDX-License-Identifier: GPL-2.0-or-later
"""The server gets no pages for bulk commands of a file and of a block device. I/O waits or goes
slower, and none of it fails or has wrong data."""
import time

from using.fault_injection import MANY, MARK_WORKERS, fail_page_alloc
from machine.topology import Disk, pair
from using import causeway

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"),)})
KERNELS = ("kasan",)
TIER = "long"
# The kernel prints a trace where it refused a page; a real fault has a line of its own above such a
# trace.
KNOWN_SPLATS = ("Call Trace:", "page allocation failure", "vmalloc error", "SLUB: Unable to allocate memory")
REQUIRES = (fail_page_alloc.need,)
LEAVES = ("export",)

CERTAIN = "/sys/module/strict_dma/parameters/certain"
MIB = 1 << 20
SIZE = 8 * MIB
SIZES = (MIB, MIB // 8)
BOUND = 60              # s, three times that on this kernel
FIO = (f"fio --name=pages --filename=/dev/causeway/10.0.0.1/{{}} --direct=1 --ioengine=libaio --rw=randwrite --bs={{}} --iodepth=4 --size={SIZE} "
       "--verify=crc32c --verify_fatal=1")
# With CHUNKS no allocation of 64 KiB succeeds, so a command has single pages. With PAGES every
# second page is refused, so a command uses the reserve of the export or is sent again.
CHUNKS = {"min_order": 4, "probability": 100}
PAGES = {"min_order": 0, "probability": 50}


def errors(client, name):
    """Return the number of commands that ended with an error, including those that the client sends
    again for want of memory."""
    stats = causeway.answer(client, f"stat 10.0.0.1/{name}")["stats"]
    return next(each for each in stats if each["role"] == "client")["counters"]["errors"]


def verified(rig, name, size, faults):
    """Write and read back. Return how many allocations of the server failed meanwhile, and how many
    commands were sent again."""
    server, client = rig.server, rig.client
    before = errors(client, name)
    server.run(MARK_WORKERS)
    server.run(fail_page_alloc.knobs(verbose=0, ignore_gfp_wait="N", ignore_gfp_highmem="Y", task_filter="Y", interval=1, times=MANY, **faults))
    began = time.monotonic()
    result = client.run(FIO.format(name, size), timeout=BOUND)
    took = time.monotonic() - began
    server.run(fail_page_alloc.knobs(probability=0))
    assert "err= 0" in result.out, result.out
    refused, again = fail_page_alloc.refused(server), errors(client, name) - before
    rig.say(f"{name}, {size >> 10} KiB, {faults}: {refused} refused, {again} commands sent again, {took:.0f} s")
    return refused, again


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    # On this kernel, beside other machines, a server that frees memory all the time may be silent for more than 5 s.
    server.run("modprobe causeway && echo 30000 > /sys/module/causeway/parameters/dead_ms")
    server.run(f"modprobe dm_mod; dmsetup create device --table '0 32768 linear {store} 0' && "
               f"dmsetup create files --table '0 98304 linear {store} 32768' && "
               "mkfs.ext4 -qF /dev/mapper/files && mkdir -p /srv/files && mount /dev/mapper/files /srv/files && "
               f"dd if=/dev/zero of=/srv/files/disk.img bs=1M count={SIZE // MIB} oflag=direct status=none")
    server.run("causeway export add device --device /dev/mapper/device --allow any && causeway export add file --file /srv/files/disk.img --allow any")
    # A mapping takes no memory on most machines. With strict_dma it takes as much as the command
    # has, so the reserve would be useless.
    server.run(f"[ ! -e {CERTAIN} ] || echo Y >{CERTAIN}")
    for name in ("device", "file"):
        client.run(f"causeway attach 10.0.0.1/{name} && udevadm settle")
        # This makes the workers, which are marked before each of the next runs: a file has one for
        # each command that runs.
        client.run(FIO.format(name, MIB), timeout=BOUND)
        for size in SIZES:
            commands = 2 * SIZE // size
            refused, again = verified(rig, name, size, CHUNKS)
            # Each command of a worker that existed when the workers were marked makes one attempt.
            assert 0 < refused <= 2 * commands and not again, (commands, refused, again)
            refused, again = verified(rig, name, size, PAGES)
            assert refused > 0 and again > 0, (commands, refused, again)
        connection, = causeway.connections(client)
        assert connection["reconnects"] == 0, connection
        client.run(f"udevadm settle; causeway detach 10.0.0.1/{name}")
    server.run(f"[ ! -e {CERTAIN} ] || echo N >{CERTAIN}")
    server.run("echo 5000 > /sys/module/causeway/parameters/dead_ms")
    server.run("causeway stop --force && umount /srv/files && dmsetup remove device files")
