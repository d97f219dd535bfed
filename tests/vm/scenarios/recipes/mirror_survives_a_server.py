# SPDX-License-Identifier: GPL-2.0-or-later
"""The recipe for a mirror over two servers works as RECIPES.md has it: md goes on while a server is
away, and both copies are the same after its return. The servers do not start the array."""
from machine.needs import module
from using import recipes

TOPOLOGY = recipes.TOPOLOGY
TIER = "long"
LEAVES = ("attachment", "export", "file")
REQUIRES = (module("raid1"),)

PAGE = "RECIPES.md"
TITLE = "A mirror over two servers"
# Members have their data at the offset that mdadm reports.
DATA = "dd if={} bs=1M skip=$(($(mdadm --examine {} | sed -n 's/.*Data Offset : \\([0-9]*\\) sectors/\\1/p') / 2048)) count=16 iflag=direct status=none | sha256sum"


def scenario(rig):
    client, both = rig.client, (rig.server, rig.server2)
    recipes.make_volume_group(*both)
    recipes.prepare(client)
    checks = []

    def away():
        checks.append(recipes.fill(client, "/mnt/mirror"))
        rig.server2.link_down()
        # md notices the loss by the I/O of a program.
        client.run("dd if=/dev/urandom of=/mnt/mirror/later bs=64k count=16 oflag=direct conv=fsync status=none", timeout=120)

    def back():
        rig.server2.link_up()

    recipes.run(rig, PAGE, TITLE, server2_is_away=away, server2_is_back=back, the_mirror_is_whole=lambda: judge(client, both, checks))


def judge(client, servers, checks):
    """Check the content of the mirror, that the members of both servers are the same, and that a
    server does not start the array from its member."""
    for check in checks:
        check()
    client.run("fsfreeze -f /mnt/mirror")
    copies = {client.run(DATA.format(disk, disk)).out for disk in ("/dev/causeway/server/mirror", "/dev/causeway/server2/mirror")}
    client.run("fsfreeze -u /mnt/mirror")
    assert len(copies) == 1, copies
    for server in servers:
        member = server.run("modprobe loop && dd if=/dev/vg0/mirror of=/tmp/member bs=1M status=none && "
                            "losetup --find --show /tmp/member && udevadm settle", timeout=120).out.strip()
        server.fails(f"mdadm --incremental {member}")
        server.run(f"! grep ^md /proc/mdstat && losetup -d {member} && rm /tmp/member")
