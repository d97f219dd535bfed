# SPDX-License-Identifier: GPL-2.0-or-later
"""A server refuses a peer that speaks another version, or that needs a feature the server lacks.
Both ends report the reason in words and numbers."""
from using import causeway

TIER = "check"
LEAVES = ("export",)
HELLO_VERSION = "this server speaks version 2 of the protocol, and the connection was made for it"
HELLO_FEATURE = "required features 0x10000000000 are not available on this server"
REFUSED = (
    ("req-version", "rejected: version, versions 2 to 2", None),
    ("req-version-1", "rejected: version, versions 2 to 2", None),
    ("hello-version", f"refused: version: {HELLO_VERSION}", "speaks version 2"),
    ("hello-version-1", f"refused: version: {HELLO_VERSION}", "speaks version 2"),
    ("hello-feature", f"refused: feature: {HELLO_FEATURE}", "0x10000000000"),
)
REJECTS = (
    ("1-1", "the server speaks version 1 of the protocol, this host version 2: upgrade the server"),
    ("3-5", "the server speaks versions 3 to 5 of the protocol, this host version 2: upgrade this host"),
)


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 16M --allow any")
    events = causeway.watch(server)
    for case, said, event in REFUSED:
        out = client.run(f"causeway-peer 10.0.0.1 m {case}").out
        assert out.strip() == f"{case}: {said}", out
        if event:
            events.wait_for(f"refused.*{event}")
    for range_, whom in (("3 to 4", "this server"), ("1 to 1", "that client")):
        server.wait_console(rf"it speaks versions {range_} of the protocol, this server version 2: upgrade {whom}")
    out = client.run("causeway-peer 10.0.0.1 m honest").out
    assert "served" in out, out
    events.wait_for("goodbye")
    server.run("causeway export remove m")
    servers_of_other_versions(server, client)


def servers_of_other_versions(server, client):
    """A client names the range of the server that rejected it, and which side has to be upgraded."""
    server.run("modprobe -r causeway_target causeway_disk")
    host = server.start("causeway-peer host '' " + " ".join(f"rejects-versions-{range_}" for range_, _ in REJECTS))
    host.wait_for("listening", timeout=30)
    for range_, said in REJECTS:
        result = client.run("causeway attach --no-persist 10.0.0.1/honest", check=False)
        assert result.rc != 0 and said in result.out, (range_, result.out)
    client.run("causeway attach --no-persist 10.0.0.1/honest && causeway detach 10.0.0.1/honest")
