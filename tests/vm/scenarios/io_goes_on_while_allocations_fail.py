# SPDX-License-Identifier: GPL-2.0-or-later
"""While memory allocations fail at either end I/O neither fails nor corrupts; what was refused for want of memory works afterwards."""
import json

from rig.topology import pair

# The sizes that our modules ask for; the emulated adapter's packets, which it would lose for good, are larger.
SIZES = {"cmdline": "slub_debug=A," + ",".join(f"kmalloc-{size}" for size in (32, 64, 96, 128, 192, 256))}
TOPOLOGY = pair(server=SIZES, client=SIZES)
TIER = "long"
KERNELS = ("kasan",)
# The kernel shows where a vmalloc() or a page was refused; what is wrong has a line of its own above such a trace.
KNOWN_SPLATS = ("Call Trace:", "page allocation failure", "vmalloc error")

DISK = "/dev/causeway/10.0.0.1/m"
FAILSLAB = "/sys/kernel/debug/failslab/"
FIO = (f"fio --name=pressure --filename={DISK} --direct=1 --ioengine=libaio --rw=randwrite --bsrange=512-256k "
       "--iodepth=16 --size=4M --verify=crc32c --verify_fatal=1")


def knobs(**values):
    return " && ".join(f"echo {value} >{FAILSLAB}{name.replace('_', '-')}" for name, value in values.items())


def verified(client):
    result = client.run(FIO, timeout=120)
    assert "err= 0" in result.out, result.out


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 32M")
    client.run("causeway attach 10.0.0.1/m")
    for host in (client, server):
        assert host.run("cat /sys/kernel/slab/kmalloc-64/failslab").out.strip() == "1"
        host.run(knobs(verbose=0, cache_filter="Y", ignore_gfp_wait="Y", task_filter="N",
                       times=-1, interval=1, probability=5))
        verified(client)
        host.run(knobs(probability=0))
    client.run("udevadm settle; causeway detach 10.0.0.1/m")

    # At the server those that may wait, too, in all that a login takes: an attachment that fails says so.
    server.run(knobs(ignore_gfp_wait="N"))
    refused = 0
    for probability in (1, 2, 3, 5) * 3:
        # The agent there is a program like others: it has nothing to do until allocations succeed again.
        failing = server.start(f"echo failing; {knobs(probability=probability)}; read -r; "
                               f"until {knobs(probability=0)}; do :; done 2>/dev/null", has_input=True)
        failing.wait_for("failing")
        result = client.run("causeway attach 10.0.0.1/m --no-persist", timeout=120, check=False)
        failing.send("enough\n")
        failing.wait()
        refused += result.rc != 0
        left = json.loads(client.run("causeway --json list").out)["attachments"]
        assert bool(left) == (result.rc == 0), (result.rc, result.out, left)
        client.run("udevadm settle; causeway detach 10.0.0.1/m")
    assert refused > 0, "no allocation of an attachment failed"
    client.run("causeway attach 10.0.0.1/m")
    verified(client)
