# SPDX-License-Identifier: GPL-2.0-or-later
"""A call that cannot be sent fails, and no other call fails. In particular, the call of a task that
holds the transport and sends the calls of others does not fail."""
from machine.needs import module
from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"
REQUIRES = (module("nfs_refuse"),)

COUNTS = "/sys/module/nfs_refuse/parameters"


def scenario(rig):
    client = rig.client
    nfs.start(rig)
    nfs.mount(client, "3", "noac")
    client.run(f"touch {nfs.MOUNTED}/file && modprobe nfs_refuse procedure=SYMLINK")
    others = client.start(f"until [ -e /tmp/enough ]; do stat {nfs.MOUNTED}/file >/dev/null || exit 1; echo once more; done")
    others.wait_for("once more")
    client.fails(f"ln -s file {nfs.MOUNTED}/link", "Remote I/O error")
    others.skip()
    others.wait_for("once more", timeout=30)
    client.run("touch /tmp/enough")
    others.wait()
    owner, foreign = (int(client.read(f"{COUNTS}/{name}")) for name in ("by_owner", "by_others"))
    # Without memory the call's own task sleeps for a quarter of a second. Other tasks do not try to
    # send its call in that time.
    assert owner == 2 and 1 <= foreign <= 20, (owner, foreign)
    client.run(f"rm /tmp/enough; modprobe -r nfs_refuse; ln -s file {nfs.MOUNTED}/link")
    nfs.finish(rig)
