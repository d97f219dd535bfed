# SPDX-License-Identifier: GPL-2.0-or-later
"""A path that connects but carries no data costs a mount over two paths only short pauses, and no
connection. The client pauses the path's queue pair, twice as long each time, and uses it again when
the path works."""
import json

from using import causeway, nfs

TOPOLOGY = nfs.topology(links=2)
TIER = "long"

RULE = "10.0.0.0/24"
SECOND_WAY = f"{RULE} dev eth1 metric 1000 src 10.1.0.2"    # for packets that are sent from that address
DEATHS = 4      # the least number; pauses of 0, 1, 2 and 4 seconds follow them
LARGE = 600     # bytes of a packet; those of the connection manager are smaller
LONGEST = 300_000   # milliseconds
DETECTED = 1.9  # seconds from the break of a queue pair until its pause begins, and from its end until the next one is open
TICK = 0.01     # seconds that a timer may seem early, because its time is counted in jiffies


def live(*devices):
    """Return a condition for wait_for: each of these devices, and no other one, has a queue pair
    that is ready."""
    return f"[ \"$(rdma resource show qp | grep ' type RC .*state RTS' | grep -o 'rxe[0-9]' | xargs)\" = '{' '.join(devices)}' ]"


def connection(client):
    return causeway.nfs_connections(client)[0]


def judge_pauses(client):
    """Check that the rail's queue pair is opened again at once, then after one second, then after
    twice as long each time."""
    (place, seconds), = nfs.pauses(client).items()
    client.rig.say(f"     pauses of {place}: {', '.join(f'{each:.2f}' for each in seconds)} s")
    assert len(seconds) >= DEATHS, seconds
    for number, each in enumerate(seconds):
        pause = 1 << number >> 1    # 0, 1, 2, 4, ...
        assert pause - TICK <= each <= pause * 5 / 4 + DETECTED * client.agent.scale, (number, seconds)


def scenario(rig):
    server, client = rig.server, rig.client
    for host in (server, client):
        host.run("modprobe causeway ack_timeout=17")
    # The mount has one address of the server, which both links reach.
    server.run("ip addr add 10.0.0.1/32 dev eth1")
    client.run(f"ip route add {SECOND_WAY}")
    nfs.start(rig)
    client.run(f"modprobe causeway_rpcrdma && causeway nfs rule add {RULE} --from 10.0.0.2,10.1.0.2 --no-persist")
    nfs.mount(client, "4.2")
    # The load needs no memory regions. When Soft-RoCE of Linux 6.1 repeats a Send in front of a
    # registration, it registers a second time, which fails ("rxe_reg_fast_mr: not free"). Its queue
    # pair then neither sends nor breaks.
    load = nfs.Load(client, largest=8192)
    client.wait_for(live("rxe0", "rxe1"))
    for rail in (1, 0):     # the first queue pair of a connection is no exception
        address = f"10.{rail}.0.2"
        nfs.trace_queue_pairs(client)
        start = client.console_end()
        server.run(f"nft add table ip lossy && nft add chain ip lossy in '{{ type filter hook prerouting priority -300; }}' && "
                   f"nft add rule ip lossy in ip saddr {address} udp dport 4791 udp length gt {LARGE} counter drop")
        client.wait_console(f"(?s:(queue pair . of 2 was lost, its calls go by the others.*?){{{DEATHS}}})", timeout=240, start=start)
        client.wait_for(f"causeway --json net >/tmp/net && grep -A9 '\"local\": \"{address}' /tmp/net | grep -q '\"retry_in_ms\": [0-9]'")
        shown = json.loads(client.read("/tmp/net"))["nfs"]["connections"][0]
        held = [each for each in shown["rails"] if each["state"] != "live"]
        assert [each["local"].rpartition(":")[0] or each["local"] for each in held] == [address], shown
        assert held[0]["reason"] and 0 < held[0]["retry_in_ms"] <= LONGEST, held
        assert shown["state"] == "live" and shown["reconnects"] == 0, shown
        load.goes_on()
        server.run("nft delete table ip lossy")
        client.wait_for(live("rxe0", "rxe1"), timeout=60)
        load.goes_on()
        judge_pauses(client)
        client.run(live("rxe0", "rxe1"))
        assert connection(client)["reconnects"] == 0, connection(client)
    load.end()
    nfs.unmount(client)
    client.run(f"causeway nfs rule remove {RULE} --no-persist; ip route del {SECOND_WAY}")
    server.run("ip addr del 10.0.0.1/32 dev eth1")
    nfs.stop(server)
    nfs.free(client, server)
