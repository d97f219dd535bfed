# SPDX-License-Identifier: GPL-2.0-or-later
"""The systems that are compared, one file each: how one machine becomes both ends of it.

A system has a name, the grounds it can run on, and start(host, ground, count), which returns the files of its
client's devices. Behind each is null_blk, and each has scheduler none on the device that has the requests. A machine
runs one system from boot to power off: none leaves anything for the next.
"""

from . import causeway, iser, local, nfs_intree, nvme, rnbd, srp

SYSTEMS = {system.NAME: system for system in (causeway, nvme, srp, rnbd, iser, nfs_intree, local)}
