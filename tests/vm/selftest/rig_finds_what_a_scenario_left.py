# SPDX-License-Identifier: GPL-2.0-or-later
"""A scenario fails if it leaves something on a host, here a device and a mount."""

TIER = "ci"
MUST_FAIL = r"^client: left behind: device left0, mount /mnt/left tmpfs$"


def scenario(rig):
    rig.client.run("ip link add left0 type dummy && mkdir -p /mnt/left && mount -t tmpfs tmpfs /mnt/left")
    rig.server.run("ip link add away0 type dummy && ip link del away0")
