# SPDX-License-Identifier: GPL-2.0-or-later
"""A folder that scenarios of "causeway nfs" export: a file system on the disk "store" of
nfs.TOPOLOGY."""

HOME = "/srv/home"


def make(server):
    """Make the file system, which the rig removes, and start the programs that nfsd calls. Nothing is exported, and no thread
    of nfsd runs."""
    server.rig.leaves.add("mount")
    store = server.disk("store")
    server.run(f"mkfs.ext4 -qF {store} && mkdir -p {HOME} && mount {store} {HOME} && chmod 777 {HOME}")
    start_programs(server)


def start_programs(server):
    server.run("touch /var/lib/nfs/etab /var/lib/nfs/rmtab && rpc.mountd && rpc.statd --no-notify && nfsdcld && "
               f"echo {10 * server.agent.scale} >/proc/fs/nfsd/nfsv4gracetime")
