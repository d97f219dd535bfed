# SPDX-License-Identifier: GPL-2.0-or-later
"""A client that speaks another version, or needs what this server does not have, is told so in words and numbers."""

TIER = "check"
REFUSED = (
    ("req-version", "rejected: version, versions 1 to 1", None),
    ("hello-version", "refused: version: this server speaks version 1 of the protocol", "speaks version 1"),
    ("hello-feature", "refused: feature: required features 0x10000000000 are not to be had here", "0x10000000000"),
)


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 16M")
    events = server.start("causeway watch")
    events.wait_for("watching")
    for case, said, event in REFUSED:
        out = client.run(f"causeway-peer 10.0.0.1 m {case}").out
        assert out.strip() == f"{case}: {said}", out
        if event:
            events.wait_for(f"refused.*{event}")
    out = client.run("causeway-peer 10.0.0.1 m honest").out
    assert "served" in out, out
    events.wait_for("goodbye")
