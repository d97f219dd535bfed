# SPDX-License-Identifier: GPL-2.0-or-later
"""A malformed message ends its connection, and the server reports it. Other connections go on, and
nothing is left behind."""

from using import causeway, seed
from using.resources import RESOURCES
from machine.agent import TooSlow
from machine.topology import pair

TOPOLOGY = pair(leaks=True)
TIER = "check"
LONG_KERNELS = ("kasan", "lockdep")
LEAVES = ("attachment", "export")

DISK = "/dev/causeway/10.0.0.1/m"
MESSAGES = 60
PARAMETERS = "/sys/module/causeway/parameters"
COUNT = f"{PARAMETERS}/malformed"
DEAD_MS = 20000         # a rig that stands still for less ends no connection
ATTEMPTS = 5            # to send a message within the second after which the server closes a refused login

# Messages that break the protocol: the server closes the connection, counts the message and logs it.
MALFORMED = """
    hello-twice hello-magic hello-feature-not-offered hello-flags hello-name hello-name-unending
    hello-host hello-no-queues hello-no-depth hello-max-io hello-inline
    hello-epoch hello-serial hello-last hello-receipt hello-path hello-reserved return-last-none return-last-above return-epoch
    goodbye-first goodbye-twice probe-first alive-first probe-without-a-cookie join-first fence-when-live path-bye-when-live
    farewell-to-server discover-after-hello
    proof-first challenge-to-server commands-before-login hello-when-live proof-when-live discover-when-live
    tail-data-len tail-data-len-odd tail-data-beyond tail-data-wraps tail-count-none tail-count-more tail-count-huge
    tail-records-65 tail-type tail-type-control tail-type-answer tail-flags tail-credit tail-credit-back
    tail-ordinal-gap
    tail-ordinal-again message-empty message-short message-full
    cmd-slot cmd-slot-huge cmd-slot-busy cmd-op cmd-flags cmd-inline-and-bulk cmd-neither cmd-inline-too-much
    cmd-len-none cmd-len-max cmd-addr-wraps cmd-offset-wraps cmd-export cmd-reserved cmd-crc
    write-data-beyond write-data-straddles write-data-wraps write-data-odd write-data-less
    discard-wraps discard-nothing
    bare-short bare-long bare-empty bare-unasked bare-credit bare-control
""".split()

# The adapter refuses the first of these; the other sessions never complete their login.
CLOSED = "message-too-long invalidate rdma-write rdma-read rdma-without-access rkey-read rkey-write rkey-short".split()
SLOW = "login-none login-half login-no-data-links".split()

REJECTED = {
    "malformed": "req-magic req-versions-reversed req-kind req-transport req-no-transport req-reserved req-control-token req-none data-index-huge".split(),
    "token": "data-token data-token-epoch data-stranger data-taken data-index data-unproved".split(),
}
ANSWERED = {
    "honest": "served", "bare": "written", "bare-beyond": "status range", "write": "status ok", "deaf": "left", "probe-flood": "answered",
    "req-random": "all rejected: malformed",
    "read-beyond": "status range", "read-unaligned": "status range", "write-beyond": "status range",
    "discard-beyond": "status range", "discard-too-much": "status range",
    "comes-back": "welcomed",
    "goodbye": "farewell, then rejected: token, versions 2 to 2",
    "hello-stale": "refused: stale: a newer connection of this session exists",
    "proof-wrong": 'refused: key: export "p" has no key, but the client\'s proof was made with one',
}


def peer(client, export, expected):
    """Run cases and compare their results."""
    out = client.run(f"causeway-peer 10.0.0.1 {export} {' '.join(expected)}", timeout=120, check=False)
    got = dict(line.split(": ", 1) for line in out.lines if ": " in line)
    wrong = {case: got.get(case) for case, outcome in expected.items() if got.get(case) != outcome}
    assert not wrong and out.rc == 0, (wrong, out.out)


def malformed(server):
    return int(server.read(COUNT))


def hello_after_refusal(client, events, say):
    """The login is refused, and repeated: each lookup of a name takes a reference to the export.

    The server closes a refused login after a second. If the rig stands still meanwhile, the second
    HELLO comes too late to be malformed, and the case is repeated."""
    for attempt in range(ATTEMPTS):
        peer(client, "closed", {"hello-after-refusal": "closed"})
        try:
            return events.wait_for("malformed", timeout=10)
        except TooSlow:
            say(f"     hello-after-refusal: no malformed message in attempt {attempt + 1}")
    raise AssertionError("HELLO after REFUSED is not malformed")


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 32M --allow any && causeway export add p --ram 32M --allow any && "
               "causeway export add r --ram 1M --read-only --allow any && causeway export add closed --ram 1M --allow 10.9.9.9")
    server.run(f"echo {DEAD_MS} >{PARAMETERS}/dead_ms")
    client.run("causeway attach 10.0.0.1/m")
    resources = server.run(RESOURCES).out.strip()
    events = causeway.watch(server)
    # The client sends inline data only: when rxe of Linux 6.1 sends again, it also registers again,
    # which fails, and the queue pair hangs.
    fio = client.start(
        f"until [ -e /tmp/enough ]; do fio --name=honest --filename={DISK} --direct=1 --ioengine=libaio "
        "--rw=randwrite --bs=4k --iodepth=4 --size=4M --verify=crc32c --verify_fatal=1 --minimal >/dev/null "
        "|| exit; echo verified; done")
    slow = [client.start(f"causeway-peer 10.0.0.1 p {case}") for case in SLOW]
    fio.wait_for("verified")

    before = malformed(server)
    peer(client, "p", {case: "closed" for case in MALFORMED})
    for _ in MALFORMED:
        events.wait_for("malformed")
    hello_after_refusal(client, events, rig.say)
    count = malformed(server) - before
    assert count == len(MALFORMED) + 1, (count, len(MALFORMED) + 1)
    server.wait_console(r"causeway: 10\.0\.0\.2: the peer broke the protocol")

    peer(client, "p", {case: "closed" for case in CLOSED})
    for reason, cases in REJECTED.items():
        peer(client, "p", {case: f"rejected: {reason}, versions 2 to 2" for case in cases})
    peer(client, "p", ANSWERED)
    peer(client, "r", {"write": "status readonly"})
    # The server may be quick enough for all messages; if it is not, the peer is at fault.
    before = malformed(server)
    said = client.run("causeway-peer 10.0.0.1 p letter-flood").out.strip()
    wanted = {"letter-flood: answered": 0, "letter-flood: closed": 1}
    assert said in wanted, said
    server.wait_for(f"[ $(cat {COUNT}) = {before + wanted[said]} ]")
    client.run(f"causeway-peer 10.0.0.1 p random {seed.of_today()} {MESSAGES}", timeout=120)

    for job in slow:
        said = job.wait(timeout=60).out
        assert "closed" in said, said
    client.run("touch /tmp/enough")
    fio.wait(timeout=60)
    session, = causeway.connections(client)
    assert session["state"] == "live" and session["reconnects"] == 0, session
    server.wait_for(f"[ \"$({RESOURCES})\" = '{resources}' ]", timeout=30)
    server.run("causeway export remove p && causeway export remove r && causeway export remove closed")
