# SPDX-License-Identifier: GPL-2.0-or-later
"""The sessions of the server, and the sessions, data links and waiting logins of one address or
export, are bounded. A refusal names the limit, the metrics count it, and existing sessions go
on."""

from using import causeway, limits

TIER = "check"
PARAMETERS = "/sys/module/causeway/parameters"


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("for name in a b c; do causeway export add $name --ram 4M --allow any; done")
    client.run("causeway attach 10.0.0.1/a --queues 2")
    client.run("causeway attach 10.0.0.1/b --queues 1")

    # The client has both sessions; the third would be the first session of the other host.
    server.run(f"echo 2 > {PARAMETERS}/max_sessions")
    assert server.fails("causeway attach 10.0.0.1/c", "the server has 2 sessions, its limit").rc == 75
    server.run(f"echo 256 > {PARAMETERS}/max_sessions && echo 2 > {PARAMETERS}/max_sessions_host")
    client.fails("causeway attach 10.0.0.1/c", "10.0.0.2 has 2 sessions or paths, its limit")
    server.run("causeway attach 10.0.0.1/c --queues 1 && causeway detach 10.0.0.1/c")
    server.run(f"echo 64 > {PARAMETERS}/max_sessions_host && echo 4 > {PARAMETERS}/max_links_host")
    client.fails("causeway attach 10.0.0.1/c --queues 2", "10.0.0.2 may have 4 data links, and 2 more are too many")
    client.run("causeway attach 10.0.0.1/c --queues 1")
    server.run(f"echo 0 > {PARAMETERS}/max_waiting && echo 5 > {PARAMETERS}/max_links_host && causeway export add d --ram 4M --allow any")
    client.fails("causeway attach 10.0.0.1/d --queues 1", "0 logins wait for export \"d\" already, its limit")
    server.run(f"echo 4 > {PARAMETERS}/max_links_host")
    assert limits.met(server) == {"strangers": 0, "sessions": 1, "host-sessions": 1, "host-links": 1, "memory": 0, "waiting": 1}

    # A session that comes back does not count against its own limits, and the limit of waiting
    # logins does not apply to owners.
    client.link_down()
    client.wait_for("! causeway --json list | grep -q '\"state\": *\"live\"'")
    client.link_up()
    client.wait_for("[ $(causeway --json list | grep -c '\"state\": *\"live\"') = 3 ]", timeout=60)
    for connection in causeway.connections(client):
        assert connection["state"] == "live", connection
    client.run("for name in a b c; do causeway detach 10.0.0.1/$name; done")
    server.run(f"echo 64 > {PARAMETERS}/max_waiting; for name in a b c d; do causeway export remove $name; done")
