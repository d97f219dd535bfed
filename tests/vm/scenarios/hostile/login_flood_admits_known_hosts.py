# SPDX-License-Identifier: GPL-2.0-or-later
"""One address takes every place for connections that have not logged in, and keeps trying for more.
The server still admits a host that had a session before. A connection without a place gets no queue
pair and no protection domain."""

from using import causeway, limits

TIER = "ci"
LEAVES = ("attachment", "export")
PLACES = 64
DISK = "/dev/causeway/10.0.0.1/m"
QUEUE_PAIRS = "rdma resource show qp | grep -c 'type RC'"
TRACE = "/sys/kernel/tracing"
MAKERS = ("cw_domain_create", "cw_link_rdma_adopt")      # called for each connection that gets a place


def scenario(rig):
    server, client = rig.server, rig.client
    # One address may take all places, so that unknown hosts of any address get none.
    server.run(f"modprobe causeway login_ms=300000 max_strangers_host={PLACES}")
    server.run("causeway export add m --ram 16M --allow any")
    client.run("causeway attach 10.0.0.1/m")
    resting = int(server.run(QUEUE_PAIRS).out)
    events = causeway.watch(client)

    server.run(f"cd {TRACE} && echo 0 > tracing_on && echo {' '.join(MAKERS)} > set_ftrace_filter && "
               "echo function > current_tracer && echo > trace && echo 1 > tracing_on")
    # The unknown host is the server's own machine, with its own address.
    flood = server.start(f"causeway-peer 10.0.0.1 m flood {PLACES}", has_input=True)
    flood.wait_for(f"held {PLACES}", timeout=120)
    flood.wait_for("tried 20 more", timeout=60)
    # These are both ends of the connections with a place, and the unknown host's ends of two more.
    assert int(server.run(QUEUE_PAIRS).out) <= resting + 2 * PLACES + 2, server.run("rdma resource show qp").out
    assert limits.met(server)["strangers"] >= 20
    calls = server.run(f"cd {TRACE} && echo 0 > tracing_on && cat trace && "
                       "echo nop > current_tracer && echo > set_ftrace_filter && echo > trace && echo 1 > tracing_on").out
    connection = causeway.connection(client)
    assert connection["reconnects"] == 0, connection
    made = {maker: calls.count(f": {maker} <-") for maker in MAKERS}
    assert made == dict.fromkeys(MAKERS, PLACES), made
    server.fails("causeway attach 10.0.0.1/m", "limit of connections")

    client.link_down()
    causeway.wait_lost(client)
    client.link_up()
    events.wait_for("live over", timeout=60)
    client.run(f"dd if=/dev/zero of={DISK} bs=64k count=16 oflag=direct")

    # The known host makes as many connections as it may: they take other places than those of
    # unknown hosts.
    own = client.start(f"causeway-peer 10.0.0.1 m strangers {PLACES}", has_input=True)
    own.wait_for(f"held {PLACES}, then rejected: limit", timeout=120)
    own.end_input()
    own.wait()

    flood.end_input()
    assert flood.wait(timeout=60).out.strip().endswith("flood: 0 more got in")
    server.wait_for(f"[ $({QUEUE_PAIRS}) = {resting} ]", timeout=60)
    connection = causeway.connection(client)
    assert connection["state"] == "live", connection
