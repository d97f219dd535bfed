# SPDX-License-Identifier: GPL-2.0-or-later
"""A request to attach a disk by wrong paths is refused and changes nothing. A path to an address where no server listens keeps
no other path from joining, however short the pause between its attempts is."""
from using import causeway, paths

TIER = "ci"
KERNELS = ("stock",)
TOPOLOGY = paths.topology()
LEAVES = ("export",)
PAUSE = "/sys/module/causeway/parameters/retry_base_ms"
ONE, OTHER = paths.SERVERS
NO_SERVER = "10.0.0.2"      # the client itself
REFUSED = {
    f"address={ONE} disk-path={OTHER}": "the addresses of a disk with several paths belong into its paths",
    f"disk-path={ONE} disk-path={OTHER} disk-path={ONE}": "paths 0 and 2 have the same addresses",
    f"disk-path=10.0.0.2,{ONE} disk-path=10.0.0.2,{ONE}": "paths 0 and 1 have the same addresses",
    f"disk-path={ONE} disk-path=10.0.0.2,": "path 1 has no address of the server",
    " ".join(f"disk-path=10.0.0.{i}" for i in range(1, 10)): "a disk has 8 paths at most",
}


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 16M --allow any")
    client.run("modprobe causeway_disk")
    for words, why in REFUSED.items():
        said = client.run(f"causeway-netlink attach server={ONE} name=m host=1 {words}", check=False)
        assert said.rc == 1 and why in said.out, (words, said)
    assert causeway.attachments(client) == []

    client.run(f"echo 0 >{PAUSE}")
    events = causeway.watch(client)
    paths.attach(client, "m", events, (ONE, NO_SERVER, OTHER))
    shown = client.run("causeway-netlink session-get").out
    assert shown.count("disk-path(") == 3 and shown.count("carries-io") == 2 and shown.count("retry-in") <= 1, shown
    client.run(f"causeway detach {ONE}/m && echo 500 >{PAUSE}")
