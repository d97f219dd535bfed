# SPDX-License-Identifier: GPL-2.0-or-later
"""The systems that are compared, one file each: a file makes one machine both ends of its system.

A system has a name, the grounds on which it can run, and start(server, client, ground, count),
which returns the files of its client's devices. If one machine counts for both ends, server and
client are the same. Behind each device is null_blk, and the device that has the requests uses the
scheduler none; behind a system of FILES is a tmpfs. A system need not clean up, because a machine
runs it until power off.

Some have more: takes(case) returns whether the system can run a case, before(host, case) is called
before each case, Load replaces fio, and SCALE multiplies the usual number of I/Os."""

from cases import NFSD_THREADS
from fio import Fio

from . import causeway, iser, local, nbd, nfs_causeway, nfs_intree, nvme, nvme_digest, raw, rnbd, srp

SYSTEMS = {system.NAME: system for system in (causeway, nvme, nvme_digest, nbd, srp, rnbd, iser, raw, nfs_causeway, nfs_intree, local)}


def takes(system, case):
    if hasattr(system, "takes"):
        return system.takes(case)
    return case.devices == 1 if getattr(system, "FILES", False) else case.threads == NFSD_THREADS


def load(system, case, files):
    return getattr(system, "Load", Fio)(case, files)
