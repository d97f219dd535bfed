# SPDX-License-Identifier: GPL-2.0-or-later
"""--via iser exports a file, and passes a SCSI device through. The client reads both, and sees the
SCSI device itself."""
from machine.needs import module
from using import stock

TOPOLOGY = stock.TOPOLOGY
TIER = "long"
DIRTY = True        # iscsi_target_mod stays loaded, which a later undo would report
REQUIRES = (module("scsi_debug"), module("target_core_pscsi"), module("ib_isert"), module("ib_iser"))

SCSI = "cd /sys/block && for disk in sd*; do [ \"$(cat $disk/device/model)\" != 'scsi_debug      ' ] || echo /dev/$disk; done"


def scenario(rig):
    server, client = rig.server, rig.client
    stock.start_iscsid(client)
    server.run("dd if=/dev/urandom of=/tmp/disk.img bs=1M count=4 status=none")
    file = server.run("sha256sum </tmp/disk.img").out
    server.run("modprobe -a sd_mod && modprobe scsi_debug dev_size_mb=8 && udevadm settle")
    device = server.run(SCSI).out.strip()
    server.run(f"dd if=/dev/urandom of={device} bs=1M count=4 oflag=direct status=none")
    passed = server.run(f"dd if={device} bs=1M count=4 iflag=direct status=none | sha256sum").out

    server.run("causeway export add image --file /tmp/disk.img --read-only --via iser --allow any", timeout=120)
    server.run(f"causeway export add passed --scsi {device} --via iser --allow any", timeout=120)
    for name, content in (("image", file), ("passed", passed)):
        there = client.run(f"causeway attach server/{name} --via iser", timeout=180).out.splitlines()[-1]
        assert client.run(f"dd if={there} bs=1M count=4 iflag=direct status=none | sha256sum").out == content, name
        if name == "image":
            client.fails(f"dd if=/dev/zero of={there} bs=4k count=1 oflag=direct", "not permitted|Read-only")
        else:
            assert client.read(f"/sys/block/{there[5:]}/device/model").split() == ["scsi_debug"]
    client.run("causeway detach --all", timeout=120)
    server.run("causeway export remove image && causeway export remove passed && rmmod scsi_debug", timeout=120)
    assert not server.run(stock.CONFIGURED).out.split()
