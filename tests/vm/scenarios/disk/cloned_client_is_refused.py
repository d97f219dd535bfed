# SPDX-License-Identifier: GPL-2.0-or-later
"""Two machines have the same memory or the same host UUID. The one that answers keeps the disk, and
the server refuses the other."""
from machine.topology import pair

TOPOLOGY = pair()

# The server's answer to each case of causeway-peer; the first client is the original.
SUPERSEDED = "refused: superseded: export \"c\": another session took the place of this one"
CASES = {
    "copy-beside": f"{SUPERSEDED}; the original is served",
    "copy-absent": "welcomed",
    "copy-older": SUPERSEDED,
    "receipt-forged": "welcomed",
    "clone-beside": "refused: in-use: this machine has export \"c\" attached already, from 10.0.0.2; the original is served",
    "clone-absent": f"welcomed; the original: {SUPERSEDED}",
    "serial-again": "refused: stale: a newer attachment of this host exists; a higher one: welcomed",
    "return-unknown": SUPERSEDED,
}


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add c --ram 16M --allow any")
    for case, expected in CASES.items():
        out = client.run(f"causeway-peer 10.0.0.1 c {case}").out.strip()
        assert out == f"{case}: {expected}", (out, expected)
    server.run("causeway export remove c --force")
