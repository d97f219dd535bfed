# SPDX-License-Identifier: GPL-2.0-or-later
"""The recipes for LVM and LUKS on one disk work as RECIPES.md has them: volumes survive a reboot and
grow in use. No I/O fails at shutdown, and detach names what holds the disk."""
import re

from machine.needs import module
from using import recipes

TOPOLOGY = recipes.TOPOLOGY
TIER = "long"
LEAVES = ("attachment", "export", "file")
REQUIRES = (module("dm_crypt"),)

PAGE = "RECIPES.md"
ERRORS = r"I/O error|EXT4-fs (error|warning)|lost async page write"


def scenario(rig):
    server, client = rig.server, rig.client
    recipes.make_volume_group(server)
    recipes.prepare(client)
    recipes.run(rig, PAGE, "A volume group on an attached disk")
    # LVM of the server leaves the group of the client alone.
    assert server.run("vgs --noheadings -o vg_name").out.split() == ["vg0"]
    recipes.run(rig, PAGE, "An encrypted volume")
    unchanged = recipes.fill(client, "/mnt/home", "/mnt/secret")

    before = len(client.console.bytes())
    recipes.run(rig, PAGE, "A reboot")
    unchanged()
    recipes.run(rig, PAGE, "More space")
    unchanged()
    for folder, least in (("/mnt/home", 60), ("/mnt/secret", 30)):
        assert int(client.run(f"df -m --output=size {folder} | tail -n 1").out) > least
    # This shutdown starts from the state that a boot made.
    recipes.run(rig, PAGE, "A reboot")
    unchanged()
    said = client.console_text(before)
    assert not re.search(ERRORS, said), said[-3000:]
    recipes.run(rig, PAGE, "The end of a disk")
    client.run("[ -z \"$(ls /sys/block | grep -E 'causeway|dm-')\" ]")
