# SPDX-License-Identifier: GPL-2.0-or-later
"""Verified I/O that runs while a scenario acts on its disk: by fio, direct and asynchronous."""


def start(host, disk, options):
    """Start fio with these options besides the usual ones, and wait until it does I/O; return its Job."""
    job = host.start(f"fio --name=verified --filename={disk} --direct=1 --ioengine=libaio --verify=crc32c --verify_fatal=1 "
                     f"--status-interval=1 {options}")
    job.wait_for("IOPS", timeout=60)
    return job


def passes(job, timeout=240):
    """Wait for the end of fio, and check that every read returned the data that was written."""
    out = job.wait(timeout=timeout).out
    assert "err= 0" in out, out
