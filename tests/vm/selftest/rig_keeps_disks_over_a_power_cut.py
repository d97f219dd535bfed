# SPDX-License-Identifier: GPL-2.0-or-later
"""A virtual disk and a kept folder keep their content over a power cut; a tmpfs is empty."""

from machine.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("data", "64M"),), "keep": ("/etc/causeway",)})
TIER = "ci"
LEAVES = ("file",)


def scenario(rig):
    disk = rig.server.disk("data")
    rig.server.run(f"echo on disk | dd of={disk} conv=fsync,notrunc status=none")
    rig.server.run("echo kept >/etc/causeway/file; echo lost >/root/file; sync")
    boot_id = rig.server.agent.boot_id
    rig.server.power_cut()
    rig.client.fails(f"ping -c 1 -W 1 {rig.server.address()}")
    rig.server.boot()
    assert rig.server.agent.boot_id != boot_id
    assert rig.server.run(f"head -c 8 {rig.server.disk('data')}").out == "on disk\n"
    assert rig.server.read("/etc/causeway/file") == "kept\n"
    rig.server.fails("cat /root/file", "No such file")
    rig.client.wait_for(f"ping -c 1 -W 1 {rig.server.address()}")
