# SPDX-License-Identifier: GPL-2.0-or-later
"""Mounts by sec=krb5, krb5i and krb5p keep what they hold, whatever must not be placed directly."""
from rig import kerberos, nfs

TOPOLOGY = nfs.TOPOLOGY
LONG = True


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.choose(server, nfs.OURS)
    nfs.choose(client, nfs.OURS)
    kerberos.start(server, client)
    nfs.serve(server, security="krb5:krb5i:krb5p")
    nfs.fill(server)
    # The server of Debian's Linux 6.1.192 refuses every call of krb5p, over TCP as well.
    probe = client.run(f"mkdir -p {nfs.MOUNTED} && mount -t nfs -o vers=4.2,sec=krb5p server:/ {nfs.MOUNTED} && "
                       f"umount {nfs.MOUNTED}", check=False)
    for number, security in enumerate(("krb5", "krb5i", "krb5p") if probe.rc == 0 else ("krb5", "krb5i"), 1):
        for version in ("4.2", "3"):
            nfs.mount(client, version, f"sec={security}")
            nfs.judge_data(client, server, number)
            nfs.judge_names(client)
            nfs.unmount(client)
    kerberos.stop(server, client)
    nfs.stop(server)
    nfs.free(client, server)
