# SPDX-License-Identifier: GPL-2.0-or-later
"""The server refuses a malformed message of an NFS client or ends the client's connection. Another
mount goes on. A valid call that the server has no memory to read also ends the connection, and is
answered when the client sends it again."""
from using import nfs, seed
from using.fault_injection import MANY, failslab, of
from using.mountstats import fields
from using.resources import RESOURCES

TOPOLOGY = nfs.topology(server=of(4096))      # the memory of a header with many segments
TIER = "check"
LONG_KERNELS = ("kasan",)

MESSAGES = 300

# RFC 8166, 4.5: messages that are too short, reports of errors and RDMA_DONE get no answer.
DROPPED = "short-empty short-fixed short-lists short-call proc-done error-report reply-unasked".split()
VERSION = "version-0 version-2".split()
CHUNK = """
    proc-msgp proc-huge
    list-word-2 list-word-2-write list-word-2-reply list-unended count-huge-write count-huge-reply count-beyond
    segments-many read-chunks-many write-chunks-many length-huge length-sum length-sum-chunks segment-wraps
    segment-wraps-reply position-odd position-past position-inside position-back position-0-and-inline
    nomsg-without-chunk nomsg-empty-chunk direction-2 direction-other-xid list-no-room list-small-room
""".split()
# The adapter or our module refuses these, and the connection is of no further use.
CLOSED = """
    call-by-bad-key data-by-bad-key list-bad-key message-too-long invalidate rdma-write rdma-read
""".split()
SERVED = """
    honest credits-none credits-huge chunks-unused call-by-chunk data-in-pieces data-in-pieces-on-order immediate flood
    request-none request-version request-huge request-noise
""".split()
EXPECTED = {**dict.fromkeys(DROPPED, "dropped"), **dict.fromkeys(VERSION, "error versions 1 to 1"),
            **dict.fromkeys(CHUNK, "error chunk"), **dict.fromkeys(CLOSED, "closed"), **dict.fromkeys(SERVED, "answered"),
            "list": "listed", "deaf": "left"}


def scenario(rig):
    server, client = rig.server, rig.client
    # The peer has a queue pair of its own beside the mount's; the kernel's own client is not
    # tested. With one thread of nfsd, answers come in the order of the calls, so the peer can
    # detect that a call was dropped.
    nfs.start(rig, nfs.IN_TREE, nfs.CAUSEWAY, threads=1)
    server.run(f"causeway-judge fill {nfs.EXPORTED} 200")       # the folder whose list is long
    nfs.mount(client, "4.2")
    load = nfs.Load(client)
    resources = server.run(RESOURCES).out.strip()

    assert set(client.run("causeway-peer nfs list").lines) == set(EXPECTED)
    out = client.run(f"causeway-peer nfs 10.0.0.1 {' '.join(EXPECTED)}", timeout=180, check=False)
    got = dict(line.split(": ", 1) for line in out.lines if ": " in line)
    wrong = {case: got.get(case) for case, outcome in EXPECTED.items() if got.get(case) != outcome}
    assert not wrong and out.rc == 0, (wrong, out.out)
    client.run(f"causeway-peer nfs 10.0.0.1 random {seed.of_today()} {MESSAGES}", timeout=180)

    server.wait_for(f"[ \"$({RESOURCES})\" = '{resources}' ]", timeout=60)
    stats = fields(client)
    assert stats["connects"] == 1, stats
    load.end()
    if rig.meets(failslab.need, server):
        good_calls_without_memory(server, client)
    nfs.finish(rig)


def good_calls_without_memory(server, client):
    """The server needs memory to parse a header with many segments. Without it, the connection
    ends, and a later call is answered."""
    assert server.read("/sys/kernel/slab/kmalloc-4k/failslab").strip() == "1"
    # A connection needs memory of that size, too, so it is made before.
    caller = client.start("causeway-peer nfs 10.0.0.1 data-in-pieces-on-order", has_input=True)
    caller.wait_for("connected")
    server.run("echo 1 >/proc/$(pgrep -x nfsd)/make-it-fail && "
               + failslab.knobs(verbose=0, cache_filter="Y", ignore_gfp_wait="N", task_filter="Y", times=MANY, interval=1,
                                probability=100))
    caller.send("\n")
    said = caller.wait(timeout=60, check=False).out
    server.run(failslab.knobs(probability=0))
    refused = failslab.refused(server)
    client.rig.say(f"     a call in pieces: {said.split()}; {refused} allocations were refused")
    assert "data-in-pieces-on-order: closed" in said and refused, (said, refused)
    said = client.run("causeway-peer nfs 10.0.0.1 data-in-pieces", check=False).out
    assert "data-in-pieces: answered" in said, said
    assert fields(client)["connects"] == 1, "the mount lost its connection"
