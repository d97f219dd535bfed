# SPDX-License-Identifier: GPL-2.0-or-later
"""A mount survives the stop and start of nfsd: writes go on, and the client holds its lock
again."""
from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"
KERNELS = ("lockdep",)


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.start(rig)
    nfs.mount(client, "4.1")
    client.run(f"touch {nfs.MOUNTED}/mine")
    holder = client.start(f"causeway-judge hold {nfs.MOUNTED}/mine", has_input=True)
    holder.wait_for("held")
    load = nfs.Load(client)
    nfs.not_serving(server)
    nfs.serving(server)
    load.goes_on()
    other = server.start(f"causeway-judge blocked {nfs.EXPORTED}/mine")
    other.wait_for("waiting")
    holder.end_input()
    holder.wait()
    other.wait()
    load.end()
    nfs.finish(rig)
