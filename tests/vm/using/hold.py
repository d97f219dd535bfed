# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk that holds one write until a scenario releases it (tests/modules/hold), and blocks that
show who wrote them."""

BLOCK = 100             # the 4 KiB block that is written and checked
DEVICE = "/dev/mapper/held"


def make(host, disk):
    """Make a device over a disk of the host, for an export. It does not hold anything yet."""
    host.run(f"modprobe dm_mod && modprobe dm-hold && "
             f"dmsetup create held --table \"0 $(blockdev --getsz {disk}) hold {disk} {BLOCK * 8}\"")
    return DEVICE


def remove(host):
    host.run("dmsetup remove held && rmmod dm-hold")


def arm(host):
    """Hold the next write of the block."""
    host.run("dmsetup message held 0 arm")


def is_held(host):
    return host.run("dmsetup status held").out.split()[-2:] == ["held", "1"]


def wait_held(host):
    host.wait_for("dmsetup status held | grep -q 'held 1'")


def release(host):
    """Let the held write go on to the disk, and wait until it has completed."""
    # The first command fails if nothing is held.
    host.run("dmsetup status held | grep -q 'held 1$' && dmsetup message held 0 release && held=$(readlink -f /dev/mapper/held) && "
             "until read -r reads writes </sys/block/${held##*/}/inflight && [ $reads$writes = 00 ]; do read -rt 0.1 <> <(:) || :; done")


def write(disk, letter):
    """Return the command that fills the block with a letter."""
    return (f"head -c 4096 /dev/zero | tr '\\0' {letter} | "
            f"dd of={disk} bs=4k seek={BLOCK} iflag=fullblock oflag=direct conv=notrunc status=none")


def content(host, disk=DEVICE):
    """Return the letter that fills the block, or everything in it."""
    return host.run(f"dd if={disk} bs=4k skip={BLOCK} count=1 iflag=direct status=none | tr -s A-Z").out
