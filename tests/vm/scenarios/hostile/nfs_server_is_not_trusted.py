# SPDX-License-Identifier: GPL-2.0-or-later
"""A client returns an error or connects again when its NFS server replies wrongly, and never
returns wrong data. It waits for a server that falls silent after any step, and no call is executed
twice. Callbacks may come in bursts, and need no memory that the kernel may refuse. The client
retries in growing intervals if a server accepts connections and drops them."""
from using import nfs
from using.fault_injection import MANY, failslab, of
from using.mountstats import fields

TIER = "long"
TOPOLOGY = nfs.topology(client=of(4096))      # the memory of a callback's message
LONG_KERNELS = ("kasan",)

# The relay does this to the answer of one READ of 64 KiB. The data is right afterwards, over this
# connection or the next.
RIGHT = """
    without-attributes segment-not-offered cut-header empty no-credit answer-nobody-waits-for answered-twice wrong-key-invalidated
    written-beyond larger-than-any-receive hangs-up
""".split()
# With these the call may end with an error instead.
ERROR = """
    written-too-much written-less no-write-list two-write-chunks read-list-in-an-answer version-2 long-answer-without-chunk
    error-chunk error-of-no-kind cut-answer
""".split()

# These send one reply that no call waits for.
UNSOLICITED = ("answer-nobody-waits-for", "answered-twice")

FIRST, SECOND = 15, 16      # callbacks at once; the client grants 16
DROPS = 5                   # connections in a row
# Seconds between them. If the first connection was young, it counts as a failed attempt and makes
# the second one wait.
PAUSES = {"young": (1, 2, 4, 8), "old": (0, 0, 1, 2)}
RECONNECTS = 1.9            # seconds that a connect takes
TICK = 0.01                 # seconds that a timer may seem early, because its time is counted in jiffies
FILE = f"{nfs.MOUNTED}/data"
ATTEMPT = 10        # seconds that the client waits for an answer to its connection request
IMPATIENT = "nolock,rsize=65536,timeo=50,retrans=9"
PATIENCE = 5        # seconds until such a mount sends a call again, over another connection
SILENCE = 17        # seconds of silence, in which the keepalive checks three times whether something was received
PROBES = 2          # one for each of these checks but the first, before which something was received
RESUME_LIMIT = 15   # seconds until a call ends that waited for the server


def read(client):
    return client.run(f"timeout 60 dd if={FILE} bs=64k count=1 iflag=direct 2>/tmp/dd | sha256sum; cat /tmp/dd", timeout=90).out


def reads_are_right_or_fail(client, relay, wanted, wrong):
    for misdeed in RIGHT + ERROR:
        relay.send(f"{misdeed}\n")
        relay.wait_for(f"ready for {misdeed}", timeout=30)
        before = fields(client)["bad_xids"]
        out = read(client)
        failed = "copied" not in out or "0 bytes" in out or "error" in out
        if wanted not in out and not (failed and misdeed in ERROR):
            wrong.append(f"{misdeed}: {out}")
        out = read(client)
        if wanted not in out:
            wrong.append(f"the read behind {misdeed}: {out}")
        # A second answer has arrived by now: it was sent before the answer of the next read.
        counted = fields(client)["bad_xids"] - before
        if counted != (misdeed in UNSOLICITED):
            wrong.append(f"{misdeed}: {counted} replies are counted that no call waited for")


def callbacks_may_come_in_bursts(client, relay, wrong):
    """The server sends as many callbacks at once as the client grants, right after a burst with one
    less. Memory for the first ones is refused, if the kernel supports that. Their replies have to
    be mapped, which takes memory of that size with strict DMA, too."""
    client.run(f"stat {FILE}")
    before = connects(client)
    if client.rig.meets(failslab.need, client):
        assert client.read("/sys/kernel/slab/kmalloc-4k/failslab").strip() == "1"
        client.run(failslab.knobs(verbose=0, cache_filter="Y", ignore_gfp_wait="Y", task_filter="N",
                                  times=MANY, probability=100))
        relay.send(f"burst {FIRST} {SECOND}\n")
        client.wait_for(f"causeway --json stat | grep -q '\"back_calls\": *{FIRST}'", timeout=30)
        client.run(failslab.knobs(probability=0))
    else:
        relay.send(f"burst {FIRST} {SECOND}\n")
    for _ in (FIRST, SECOND):
        relay.wait_for("burst answered|ended", timeout=60)
    client.run(f"stat {nfs.MOUNTED} && echo 3 >/proc/sys/vm/drop_caches && ls {nfs.MOUNTED}")
    if connects(client) != before or "ended" in relay.out.rsplit("connected", 1)[1]:
        wrong.append(f"a burst of {SECOND} callbacks cost the connection: {relay.out[-300:]}")


def drops_make_connections_rare(client, relay, wrong):
    """Check that each pause between two connections is between two limits, by the client's
    clock."""
    order(relay, "drop")
    before = connects(client)
    nfs.trace_queue_pairs(client)
    waits = client.start(f"exec stat -f {nfs.MOUNTED}")
    for _ in range(DROPS):
        relay.wait_for("ended: dropped", timeout=60)
    (seconds,), made = nfs.pauses(client).values(), connects(client) - before
    client.rig.say(f"{made} connections that were dropped, after {', '.join(f'{each:.2f}' for each in seconds)} s")
    pauses = PAUSES["young" if seconds[0] >= PAUSES["young"][0] - TICK else "old"]
    grow = all(pause - TICK <= each <= pause + RECONNECTS * client.agent.scale for pause, each in zip(pauses, seconds))
    if len(seconds) != len(pauses) or made != len(pauses) or not grow:
        wrong.append(f"{made} connections after {seconds} s to a server that drops each, not after {pauses}")
    relay.send("serve\n")
    waits.wait(timeout=90)


def order(relay, what):
    relay.send(f"{what}\n")
    relay.wait_for(f"ready to {what.split()[0]}", timeout=30)


def judge_duration(least, seconds, most, what, client, wrong):
    client.rig.say(f"     {what}: {seconds:.1f} s")
    if not least <= seconds <= most * client.agent.scale:
        wrong.append(f"{what}: {seconds:.1f} s, not {least} to {most}")


def server_resumes(client, relay, job, what, wrong):
    """Check that the server answers again, and that the waiting command then succeeds, not
    before."""
    if not job.running:
        wrong.append(f"{what} ended while the server was silent: {job.out}")
    begin = client.uptime()
    order(relay, "serve")
    job.wait(timeout=60)
    judge_duration(0, client.uptime() - begin, RESUME_LIMIT, f"{what}, after the server spoke", client, wrong)


def packets(client):
    """Return the number of packets that the client's adapter has sent, including those of the
    keepalive."""
    return int(client.read("/sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts"))


def waits_in_silence(client, job, what, wrong, probes=0):
    """Check that the call does not end, that the client does not connect again, and that its
    keepalive sends at least that many packets."""
    before, sent, end = connects(client), packets(client), client.uptime() + SILENCE
    client.wait_for(f"[ $(cut -d. -f1 /proc/uptime) -ge {int(end)} ]")
    if not job.running or connects(client) != before or packets(client) < sent + probes:
        wrong.append(f"{what}: {job.out} {connects(client) - before} connections, {packets(client) - sent} packets")


def a_request_is_not_answered(client, relay, wrong):
    """The client tries again after a while."""
    order(relay, "hold-requests")
    nfs.unmount(client)
    start = client.console_end()
    begin = client.uptime()
    mounts = nfs.mounting(client, "3", IMPATIENT)
    relay.wait_for("holds a request")
    client.wait_console("not connected: connecting took longer", timeout=2 * ATTEMPT, start=start)
    judge_duration(ATTEMPT - 2, client.uptime() - begin, ATTEMPT + 10, "an attempt to connect that is not answered", client, wrong)
    server_resumes(client, relay, mounts, "mounting", wrong)
    nfs.unmount(client)


def the_first_call_is_not_answered(client, relay, wrong):
    """A mount with a short timeout connects again."""
    relay.send("hold-calls\n")
    begin = client.uptime()
    mounts = nfs.mounting(client, "3", IMPATIENT)
    relay.wait_for("holds a call")
    relay.wait_for("ended: closed", timeout=60)
    judge_duration(PATIENCE - 1, client.uptime() - begin, PATIENCE + 10, "a connection without an answer", client, wrong)
    relay.wait_for("holds a call", timeout=30)
    server_resumes(client, relay, mounts, "mounting", wrong)


def an_answer_is_lost(server, client, relay, wrong):
    """The server has executed the call: the client has to get the first answer, which nfsd
    remembers."""
    before, made = remembered(server), connects(client)
    order(relay, "hold-answers made-once")
    begin = client.uptime()
    makes = client.start(f"exec mkdir {nfs.MOUNTED}/made-once")
    relay.wait_for("holds an answer")
    server.run(f"[ -d {nfs.EXPORTED}/made-once ]")
    relay.wait_for("ended: closed", timeout=60)
    judge_duration(PATIENCE - 1, client.uptime() - begin, PATIENCE + 10, "a connection without an answer", client, wrong)
    relay.wait_for("holds an answer", timeout=30)
    server_resumes(client, relay, makes, "mkdir", wrong)
    if connects(client) <= made or remembered(server) <= before:
        wrong.append(f"{connects(client) - made} connections and {remembered(server) - before} answers out of nfsd's memory")
    client.run(f"rmdir {nfs.MOUNTED}/made-once")


def remembered(server):
    """Return how many answers nfsd gave without executing the call again."""
    return int(server.run("grep ^rc /proc/net/rpc/nfsd").out.split()[1])


def an_answer_comes_late(server, client, relay, wrong):
    """NFS 4.1 never sends a call again over a live connection."""
    order(relay, "hold-answers made-late")
    makes = client.start(f"exec mkdir {nfs.MOUNTED}/made-late")
    relay.wait_for("holds an answer")
    server.run(f"[ -d {nfs.EXPORTED}/made-late ]")
    waits_in_silence(client, makes, "an answer that is late", wrong, PROBES)
    server_resumes(client, relay, makes, "mkdir", wrong)
    client.run(f"rmdir {nfs.MOUNTED}/made-late")


def a_reply_to_a_callback_is_not_taken(client, relay, wrong):
    """The server has no receive for the reply, nor for a call after it: the client's adapter
    repeats what it sends."""
    client.run(f"stat {nfs.MOUNTED}")
    relay.send("hold-receives\n")
    relay.wait_for("no receive is left", timeout=60)
    makes = client.start(f"exec mkdir {nfs.MOUNTED}/made-behind")
    waits_in_silence(client, makes, "a reply that is not taken", wrong)
    server_resumes(client, relay, makes, "mkdir", wrong)
    relay.wait_for("burst answered", timeout=30)
    client.run(f"rmdir {nfs.MOUNTED}/made-behind")


def umount_needs_no_server(client, relay, wrong):
    order(relay, "hold-calls")
    hangs = client.start(f"exec stat -f {nfs.MOUNTED}")
    relay.wait_for("holds a call")
    assert hangs.running, hangs.out
    begin = client.uptime()
    client.run(f"umount -i -f {nfs.MOUNTED} || :")
    if not hangs.wait(timeout=30, check=False).rc:
        wrong.append("stat got an answer")
    client.run(f"! grep -q ' {nfs.MOUNTED} ' /proc/mounts || umount -i -f {nfs.MOUNTED}")
    judge_duration(0, client.uptime() - begin, RESUME_LIMIT, "umount -f from a silent server", client, wrong)


def connects(client):
    """Return how often the mount connected."""
    return fields(client)["connects"]


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.start(rig, nfs.CAUSEWAY, nfs.CAUSEWAY)
    # The relay listens on the port of RDMA; the server behind it has TCP alone.
    nfs.not_serving(server)
    server.run("rpc.nfsd 8")
    wanted = server.run(f"head -c 65536 /dev/urandom >{nfs.EXPORTED}/data && sha256sum <{nfs.EXPORTED}/data").out.split()[0]
    relay = server.start("causeway-peer nfs relay", has_input=True)
    relay.wait_for("listening", timeout=30)
    assert set(server.run("causeway-peer nfs relay-list").lines) == set(RIGHT + ERROR)
    wrong = []
    nfs.mount(client, "3", IMPATIENT)
    assert wanted in read(client), "an honest relay"
    reads_are_right_or_fail(client, relay, wanted, wrong)
    a_request_is_not_answered(client, relay, wrong)
    the_first_call_is_not_answered(client, relay, wrong)
    an_answer_is_lost(server, client, relay, wrong)
    nfs.unmount(client)
    nfs.mount(client, "3", "nolock,rsize=65536")
    # These headers are longer than the first one, from which the client learns their length.
    relay.send("without-attributes\n")
    relay.wait_for("ready for without-attributes", timeout=30)
    assert [wanted in read(client) for _ in range(2)] == [True, True], "a reply without attributes, then one with them"
    drops_make_connections_rare(client, relay, wrong)
    relay.skip()
    nfs.unmount(client)
    relay.wait_for("ended: closed")
    nfs.mount(client, "4.1", "rsize=4096,wsize=4096")
    callbacks_may_come_in_bursts(client, relay, wrong)
    an_answer_comes_late(server, client, relay, wrong)
    a_reply_to_a_callback_is_not_taken(client, relay, wrong)
    nfs.unmount(client)
    nfs.mount(client, "3", "nolock,rsize=65536")
    umount_needs_no_server(client, relay, wrong)
    nfs.free(client)
    relay.end_input()
    assert not wrong, "\n".join(wrong)
    nfs.stop(server)
    nfs.free(server)
