# SPDX-License-Identifier: GPL-2.0-or-later
"""dbench and the file-system tests of stress-ng, which verify their results, pass on a mount."""
from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"

DBENCH_SECONDS = 10
STRESSORS = """
    access chmod chown copy-file dentry dir dirdeep fallocate fcntl fpunch fstat getdent hdd lockf lockofd mknod open
    readahead rename seek touch utime
""".split()
# Each stressor fills its files before it checks the time.
SMALL = "--dentries 200 --fallocate-bytes 1M --hdd-bytes 2M --readahead-bytes 1M --seek-size 1M"


def scenario(rig):
    client = rig.client
    nfs.start(rig)
    for version in ("3", "4.2"):
        nfs.mount(client, version)
        quietly(client, f"dbench -D {nfs.MOUNTED} -t {DBENCH_SECONDS} 4")
        for stressor in STRESSORS:
            # stress-ng skips calls that NFS does not have by itself.
            quietly(client, f"stress-ng --temp-path {nfs.MOUNTED} --verify {SMALL} --timeout 1 --{stressor} 2")
        nfs.unmount(client)
    nfs.stop(rig.server)
    nfs.free(client, rig.server)


def quietly(client, command):
    """Run a command; print the end of its output only if it fails."""
    client.run(f"{command} >/tmp/suite.out 2>&1 || {{ tail -n 40 /tmp/suite.out; exit 1; }}", timeout=240)
