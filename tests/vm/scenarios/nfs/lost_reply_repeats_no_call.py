# SPDX-License-Identifier: GPL-2.0-or-later
"""The server gives answers that were lost with their connection again, and executes no call twice,
in every version of NFS."""
from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"

ROUNDS = 2
VERSIONS = ("3", "4.0", "4.1")
# The client's packets arrive, and those of the server do not.
DEAF = ("nft add table ip deaf && nft add chain ip deaf in '{ type filter hook prerouting priority -300; }' && "
        "nft add rule ip deaf in udp dport 4791 counter drop")


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.start(rig)
    jobs = []
    for version in VERSIONS:
        where = f"/mnt/nfs{version}"
        nfs.mount(client, version, where=where)
        client.run(f"mkdir {where}/calls{version}")
        job = client.start(f"causeway-judge once {where}/calls{version}", has_input=True)
        job.wait_for("round")
        jobs.append(job)
    for _ in range(ROUNDS):
        client.run(DEAF)
        client.wait_for(nfs.DISCONNECTED, timeout=240)
        assert " packets 0 " not in client.run("nft list table ip deaf").out
        client.run("nft delete table ip deaf")
        for job in jobs:
            job.skip()
            for _ in range(2):
                job.wait_for("round", timeout=120)
    for job in jobs:
        job.end_input()
        job.wait()
    # Calls of versions 3 and 4.0 were sent again, and answered from memory.
    hits = int(server.run("grep ^rc /proc/net/rpc/nfsd").out.split()[1])
    assert hits > 0
    nfs.finish(rig, *(f"/mnt/nfs{version}" for version in VERSIONS))
