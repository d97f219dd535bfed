# SPDX-License-Identifier: GPL-2.0-or-later
"""Verified I/O that goes on while something happens to its disk: by fio, directly and asynchronously."""


def start(host, disk, options):
    """Start fio with these options beside the usual ones, and wait until it is at work; returns its Job."""
    job = host.start(f"fio --name=verified --filename={disk} --direct=1 --ioengine=libaio --verify=crc32c --verify_fatal=1 "
                     f"--status-interval=1 {options}")
    job.wait_for("IOPS", timeout=60)
    return job


def passes(job, timeout=240):
    """It ends, and what was written is what was read, all of it."""
    out = job.wait(timeout=timeout).out
    assert "err= 0" in out, out
