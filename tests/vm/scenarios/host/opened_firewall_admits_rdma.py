# SPDX-License-Identifier: GPL-2.0-or-later
"""A server behind rules that drop everything is reached after the verb "firewall open". This also
holds after the rules were loaded anew under another name and a chain is gone. undo takes the rules
back. The metrics include the I/O of the server's disk."""
import json
import re

TIER = "long"
LEAVES = ("export",)
RULES = """
table inet NAME {
    chain input { type filter hook input priority 0; policy drop; iifname "lo" accept; icmp type echo-request accept; }
}
"""
# A program that bans hosts makes such rules: they close nothing that they do not name.
BANS = """
table inet bans {
    set banned { type ipv4_addr; }
    chain input { type filter hook input priority -1; policy accept; tcp dport 22 ip saddr @banned drop; }
}
"""


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add d --ram 16M --allow any")
    server.write("/tmp/rules.nft", RULES.replace("NAME", "filter") + BANS)
    server.write("/tmp/renamed.nft", "flush ruleset\n" + RULES.replace("NAME", "fw"))
    server.run("nft -f /tmp/rules.nft")
    try:
        client.fails("timeout 10 causeway discover 10.0.0.1")
        server.fails("causeway firewall open --disks", "--from any")
        server.run("causeway firewall open --disks --from 10.0.0.0/24")
        assert "causeway" not in server.run("nft list table inet bans").out
        client.run("causeway discover 10.0.0.1")
        assert "nothing to do" in server.run("causeway firewall open --disks --from 10.0.0.0/24").out

        # The rules are loaded anew under another name, as at a boot after the administrator changed
        # them.
        server.run("nft -f /tmp/renamed.nft")
        client.fails("timeout 10 causeway discover 10.0.0.1")
        # nftables.service runs this command after its own.
        again = server.run("sed -n 's/^ExecStartPost=-//p' /etc/systemd/system/nftables.service.d/causeway-firewall.conf").out
        server.run(again)
        assert len(server.run("nft list ruleset | grep causeway").lines) == 1
        server.run(again)
        assert len(server.run("nft list ruleset | grep causeway").lines) == 1
        client.run("causeway attach 10.0.0.1/d")
        client.run("dd if=/dev/causeway/10.0.0.1/d of=/dev/null bs=4k count=64 iflag=direct")

        figures = client.run("causeway metrics").out
        reads = re.search(r'^causeway_session_reads_total\{role="client",.*name="d"[^}]*\} (\d+)$', figures, re.M)
        assert reads and int(reads[1]) >= 64, figures
        assert re.search(r'^causeway_io_latency_seconds_bucket\{.*operation="read",le="\+Inf"\} [1-9]', figures, re.M), figures
        live = json.loads(client.run("causeway top --json").out)["connections"]
        assert [(row["kind"], row["name"], row["state"]) for row in live] == [("disk", "10.0.0.1/d", "live")], live

        library = client.run("causeway run --preload grep -c librspreload /proc/self/maps").out
        assert int(library) > 0, library

        client.run("causeway detach 10.0.0.1/d")
        server.run("causeway undo --last")
        rules = server.run("nft list ruleset").out
        assert "causeway" not in rules, rules
    finally:
        server.run("nft flush ruleset")
