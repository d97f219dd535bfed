# SPDX-License-Identifier: GPL-2.0-or-later
"""The common part of the systems of NFS over RDMA: nfsd over tmpfs, mounted by the same machine
with NFS 4.2."""

FILES = True
GROUNDS = ("rxe", "wire", "siw", "sim")
SIZE = 200      # MiB
NAMES = ("rpcrdma", "rpcrdma6", "xprtrdma", "svcrdma")      # the names that the kernel requests


def before(host, case):
    """Set the number of nfsd threads that the case wants."""
    host.run(f"echo {case.threads} >/proc/fs/nfsd/threads")


def start(host, ground, count, module):
    """Return files on a mount whose transport at both ends is this module."""
    aliases = "".join(f"alias {name} {module}\\n" for name in NAMES if name != module)
    host.run(f"printf '{aliases}' >/etc/modprobe.d/bench-nfs.conf && modprobe -a sunrpc nfsd {module} nfs nfsv4 && "
             "mkdir -p /srv/bench /mnt/bench /var/lib/nfs/rpc_pipefs && "
             "mount -t tmpfs tmpfs /srv/bench && mount -t nfsd nfsd /proc/fs/nfsd && "
             "mount -t rpc_pipefs rpc_pipefs /var/lib/nfs/rpc_pipefs")
    # nfsd asks rpc.mountd for its exports. It does not wait for clients of an earlier boot.
    host.run("echo '/srv/bench *(rw,fsid=0,no_root_squash,insecure,no_subtree_check)' >/etc/exports && "
             "echo '-2 -3 +4 +4.1 +4.2' >/proc/fs/nfsd/versions && rpcbind && exportfs -r && rpc.mountd")
    host.run("echo rdma 20049 >/proc/fs/nfsd/portlist && echo 8 >/proc/fs/nfsd/threads && echo Y >/proc/fs/nfsd/v4_end_grace",
             timeout=120)
    host.run(f"mount -t nfs -o vers=4.2,proto=rdma,port=20049,sec=sys {ground.server}:/ /mnt/bench", timeout=240)
    files = [f"/mnt/bench/f{i}" for i in range(count)]
    for name in files:
        # The server, which is the same machine, makes the files: over the mount this takes as long
        # as ten cases.
        host.run(f"dd if=/dev/zero of=/srv/bench/{name.rpartition('/')[2]} bs=1M count={SIZE} && stat {name}", timeout=600)
    return files
