# SPDX-License-Identifier: GPL-2.0-or-later
"""The systems that are compared, one file each: how one machine becomes both ends of it.

A system has a name, the grounds it can run on, and start(server, client, ground, count), which returns the files of its
client's devices; where one machine counts what both ends do, server and client are the same. Behind each device is
null_blk, and each has scheduler none on the device that has the requests; a system of FILES has a tmpfs behind. No
system leaves anything for the next: a machine runs it until power off.

Some have more: takes(case) returns whether it can run a case, before(host, case) is called before each, Load drives it
in place of fio, and SCALE multiplies the usual number of I/Os.
"""

from cases import NFSD_THREADS
from fio import Fio

from . import causeway, iser, local, nfs_causeway, nfs_intree, nvme, raw, rnbd, srp

SYSTEMS = {system.NAME: system for system in (causeway, nvme, srp, rnbd, iser, raw, nfs_causeway, nfs_intree, local)}


def takes(system, case):
    if hasattr(system, "takes"):
        return system.takes(case)
    return case.devices == 1 if getattr(system, "FILES", False) else case.threads == NFSD_THREADS


def load(system, case, files):
    return getattr(system, "Load", Fio)(case, files)
