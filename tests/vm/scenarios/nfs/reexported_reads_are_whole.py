# SPDX-License-Identifier: GPL-2.0-or-later
"""The client returns the right bytes of a file if the server leaves attributes out of its replies
to READ, as nfsd does for an export that is itself an NFS mount."""
from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "ci"

BACK = "/srv/back"
SIZE = 300001       # needs a write chunk, and does not end at a page boundary


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.start(rig)
    server.run(f"head -c {SIZE} /dev/urandom >{nfs.EXPORTED}/whole && mkdir -p {BACK} && "
               f"mount -t nfs -o vers=3,proto=tcp,nolock localhost:{nfs.EXPORTED} {BACK} && "
               f"echo '{BACK} *(rw,fsid=7,no_root_squash,insecure,no_subtree_check)' >>/etc/exports && exportfs -r")
    client.run(f"mkdir -p {nfs.MOUNTED} && mount -t nfs -o rdma,vers=3,rsize=1048576 server:{BACK} {nfs.MOUNTED}", timeout=120)
    # The client learns the length of a reply's header from the first reply, so only the first READ
    # of a mount matters.
    sums = [client.run(f"dd if={nfs.MOUNTED}/whole bs=1M iflag=direct status=none | sha256sum").out for _ in range(2)]
    assert set(sums) == {server.run(f"sha256sum <{nfs.EXPORTED}/whole").out}, sums
    chunked = client.run("causeway --json net | grep -c '\"chunked_reads\": 0,' || :").out.strip()
    assert chunked == "0", "no READ went by a write chunk"
    nfs.unmount(client)
    server.run(f"exportfs -u '*:{BACK}'; umount {BACK}")
    nfs.stop(server)
    nfs.free(client, server)
