# SPDX-License-Identifier: GPL-2.0-or-later
"""Mounts by sec=krb5, krb5i and krb5p keep what they hold, whatever must not be placed directly."""
from rig import kerberos, nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"


def refused(client, transport):
    """Whether a mount by krb5p fails."""
    return client.run(f"mkdir -p {nfs.MOUNTED} && mount -t nfs -o proto={transport},vers=4.2,sec=krb5p server:/ {nfs.MOUNTED} && "
                      f"umount {nfs.MOUNTED}", timeout=120, check=False).rc != 0


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.choose(server, nfs.OURS)
    nfs.choose(client, nfs.OURS)
    kerberos.start(server, client)
    nfs.serve(server, security="krb5:krb5i:krb5p")
    nfs.fill(server)
    kinds = ["krb5", "krb5i", "krb5p"]
    if refused(client, "rdma"):
        # Linux 6.1.192 has a fault of its own there.
        assert refused(client, "tcp"), "krb5p is refused by RDMA, and works by TCP"
        rig.say(f"     no krb5p: the {rig.kernel_name} kernel refuses it by TCP as well")
        kinds.remove("krb5p")
    for number, security in enumerate(kinds, 1):
        for version in ("4.2", "3"):
            nfs.mount(client, version, f"sec={security}")
            nfs.judge_data(client, server, number)
            nfs.judge_names(client)
            nfs.unmount(client)
    kerberos.stop(server, client)
    nfs.stop(server)
    nfs.free(client, server)
