# SPDX-License-Identifier: GPL-2.0-or-later
"""A client over TCP that breaks the protocol loses its own connections, and no other does. Connections that send no request are
closed in time, the server keeps a limited number of them, and they keep no honest client out. A client that acknowledges no end
of a connection leaves no socket at the server."""
from machine.topology import pair
from using import causeway, tcp, verified

TIER = "long"
KERNELS = ("stock",)
LONG_KERNELS = ("lockdep", "kasan")
TOPOLOGY = pair(rdma="none", leaks=True)
LEAVES = ("attachment", "export")
GUESTS = 8
MALFORMED = "/sys/module/causeway/parameters/malformed"

# The server has no link for these, so it counts nothing.
GUEST_CASES = {
    "tcp-first-message": "closed", "tcp-first-get": "closed", "tcp-first-http": "closed", "tcp-request-slow": "closed in time",
    "tcp-request-rdma": "rejected: malformed", "tcp-request-short": "rejected: malformed", "tcp-request-long": "rejected: malformed",
    "tcp-request-later": "accepted", "tcp-honest": "served",
}
# The client acknowledges no FIN meanwhile.
IGNORED_CASES = {"tcp-first-http": "closed", "tcp-request-short": "rejected: malformed", "tcp-message-long": "closed"}
LINK_CASES = """
    tcp-request-twice tcp-sequence tcp-crc tcp-message-long tcp-got-control tcp-put tcp-got-unasked tcp-got-short tcp-got-elsewhere
    tcp-got-other-rkey tcp-got-twice tcp-rkey-none
""".split()


def peer(client, expected):
    out = client.run(f"causeway-peer 10.0.0.1 p {' '.join(expected)}", timeout=120, check=False)
    got = dict(line.split(": ", 1) for line in out.lines if ": " in line)
    wrong = {case: got.get(case) for case, outcome in expected.items() if got.get(case) != outcome}
    assert not wrong and out.rc == 0, (wrong, out.out)


def scenario(rig):
    server, client = rig.server, rig.client
    server.run(f"modprobe causeway tcp_guests={GUESTS}")
    for name, size in (("m", "64M"), ("p", "64M"), ("late", "16M")):
        server.run(f"causeway export add {name} --ram {size} --allow any --tcp")
    disk = tcp.attach_alone(client, "m")
    fio = verified.start(client, disk, "--rw=randwrite --bs=16k --iodepth=8 --size=16M --loops=1000")
    peer(client, GUEST_CASES)
    before = int(server.read(MALFORMED))
    peer(client, {case: "closed" for case in LINK_CASES})
    server.wait_for(f"[ $(cat {MALFORMED}) = {before + len(LINK_CASES)} ]")

    tcp.ignore_ends(client)
    peer(client, IGNORED_CASES)
    tcp.wait_for_no_orphan(server)
    client.run("nft delete table ip deaf")

    # A request takes as long as it likes from here on: only the limit closes connections.
    server.write("/sys/module/causeway/parameters/tcp_request_ms", "600000")
    flood = client.start("causeway-peer 10.0.0.1 p tcp-guests 40", has_input=True)
    flood.wait_for(f"{GUESTS} are open", timeout=60)
    late = tcp.attach_alone(client, "late")
    client.run(f"dd if=/dev/zero of={late} bs=1M count=4 oflag=direct status=none", timeout=60)
    flood.end_input()
    flood.wait(timeout=60)
    fio.kill()
    fio.wait(check=False)
    for session in causeway.connections(client):
        assert session["state"] == "live" and session["reconnects"] == 0, session
    server.run("causeway export remove p")
