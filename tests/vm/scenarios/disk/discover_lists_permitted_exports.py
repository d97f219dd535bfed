# SPDX-License-Identifier: GPL-2.0-or-later
"""discover lists all exports that are open to the asking address, and no others. The list may need
more than one message."""
from using import causeway

TIER = "long"
LEAVES = ("export", "file")


def seen(client, server):
    answer = causeway.answer(client, f"discover {server}")
    return {each["name"]: each for each in answer["exports"]}


def scenario(rig):
    server, client = rig.server, rig.client
    assert client.fails("causeway discover 10.0.0.1", "cannot ask 10.0.0.1").rc == 75
    server.run("umask 077; mkdir -p /etc/causeway/keys; echo sesame, as everybody says >/etc/causeway/keys/k")
    server.run("causeway export add everyone --ram 4M --allow any")
    server.run("causeway export add v4 --ram 4M --allow 10.0.0.0/24 --exclusive --key-file /etc/causeway/keys/k")
    server.run("causeway export add v6 --ram 4M --allow fd00:0::/64 --read-only")
    server.run("causeway export add neighbour --ram 4M --allow 10.0.0.3 10.9.0.0/16,fd00:9::/64")
    by_v4 = seen(client, "10.0.0.1")
    assert set(by_v4) == {"everyone", "v4"}, by_v4
    assert set(seen(client, "[fd00:0::1]:4793")) == {"everyone", "v6"}
    assert set(seen(server, "10.0.0.1")) == {"everyone", "v4"}
    assert by_v4["v4"]["has_key"] and by_v4["v4"]["exclusive"] and not by_v4["everyone"]["has_key"], by_v4
    assert by_v4["everyone"]["size"] == 4 << 20 and by_v4["everyone"]["block_size"] == 512, by_v4
    there = causeway.exports(server)
    assert {each["name"]: each["identity"] for each in there}["v4"] == by_v4["v4"]["identity"], there

    # These are more exports than one message holds.
    server.run("for ((i = 0; i < 70; i++)); do causeway export add many$i --ram 4K --no-persist --allow any >/dev/null || exit; done",
               timeout=120)
    many = seen(client, "10.0.0.1")
    assert len(many) == 72 and "many69" in many and "neighbour" not in many, sorted(many)
    server.run("causeway stop --force")
    assert seen(client, "10.0.0.1") == {}
