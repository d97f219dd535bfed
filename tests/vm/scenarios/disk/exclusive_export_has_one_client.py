# SPDX-License-Identifier: GPL-2.0-or-later
"""A server refuses a second machine an exclusive export and gives the reason. It admits that machine after the first has detached."""
from using import causeway

TIER = "check"
LEAVES = ("export",)


def attached(host):
    return [each["name"] for each in causeway.attachments(host)]


def scenario(rig):
    # The second machine is the server itself.
    server, client = rig.server, rig.client
    server.run("causeway export add one --ram 16M --exclusive --allow any")
    client.run("causeway attach 10.0.0.1/one")
    for _ in range(2):
        result = server.fails("causeway attach 10.0.0.1/one", 'export "one" is exclusive and attached by client')
        assert result.rc == 75 and "causeway export list" in result.out, result
        assert attached(server) == [], attached(server)
    connection = causeway.connection(client)
    assert connection["state"] == "live" and connection["reconnects"] == 0, connection
    client.run("dd if=/dev/urandom of=/dev/causeway/10.0.0.1/one bs=1M count=1 oflag=direct")

    client.run("causeway detach 10.0.0.1/one")
    server.run("causeway attach 10.0.0.1/one")
    assert attached(server) == ["one"], attached(server)
    server.run("dd if=/dev/causeway/10.0.0.1/one of=/dev/null bs=1M count=1 iflag=direct")
    assert client.fails("causeway attach 10.0.0.1/one", "exclusive").rc == 75
    server.run("causeway detach 10.0.0.1/one")
