# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk in memory with the properties that a scenario requires: the scsi_debug module of a guest.
"""


def make(host, **parameters):
    """Load the module with these parameters; return the device node."""
    words = " ".join(f"{name}={value}" for name, value in parameters.items())
    host.run(f"modprobe sd_mod; modprobe scsi_debug delay=0 max_luns=1 {words}")
    host.wait_for("ls /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block/sd*")
    return "/dev/" + host.run("basename /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block/sd*").out.strip()


def remove(host):
    host.run("udevadm settle && modprobe -r scsi_debug")
