# SPDX-License-Identifier: GPL-2.0-or-later
"""A server of NFS that answers wrong gives its client an error or another connection, never wrong data; its callbacks may come in
bursts, and need no memory that may be refused; connections that it accepts and drops come in growing intervals."""
from rig import failslab, nfs
from rig.mountstats import fields

TIER = "long"
TOPOLOGY = nfs.topology(client=failslab.of(4096))      # the memory of a callback's message
LONG_KERNELS = ("kasan",)

# What the server does to one READ of 64 KiB. The data is right afterwards, in this connection or the next.
RIGHT = """
    without-attributes foreign-segment cut-header empty no-credit answer-nobody-waits-for answered-twice wrong-key-invalidated
    written-beyond larger-than-any-receive hangs-up
""".split()
# The call may end with an error instead.
ERROR = """
    written-too-much written-less no-write-list two-write-chunks read-list-in-an-answer version-2 long-answer-without-chunk
    error-chunk error-of-no-kind cut-answer
""".split()

# Replies to no call that waits for one; other misdeeds have none.
UNASKED = ("answer-nobody-waits-for", "answered-twice")

FIRST, SECOND = 15, 16      # callbacks at once; 16 are what the client grants
DROPS = 5                   # connections in a row: pauses of 1, 2, 4 and 8 seconds; of 0, 0, 1 and 2 where the first one is not young
FILE = f"{nfs.MOUNTED}/data"


def read(client):
    return client.run(f"timeout 60 dd if={FILE} bs=64k count=1 iflag=direct 2>/tmp/dd | sha256sum; cat /tmp/dd", timeout=90).out


def reads_are_right_or_fail(client, relay, wanted, wrong):
    for misdeed in RIGHT + ERROR:
        relay.send(f"{misdeed}\n")
        relay.wait_for(f"ready for {misdeed}", timeout=30)
        before = fields(client)["bad_xids"]
        out = read(client)
        counted = fields(client)["bad_xids"] - before
        if counted != (misdeed in UNASKED):
            wrong.append(f"{misdeed}: {counted} replies are counted that no call waited for")
        failed = "copied" not in out or "0 bytes" in out or "error" in out
        if wanted not in out and not (failed and misdeed in ERROR):
            wrong.append(f"{misdeed}: {out}")
        out = read(client)
        if wanted not in out:
            wrong.append(f"the read behind {misdeed}: {out}")


def callbacks_may_come_in_bursts(client, relay, wrong):
    """All that the client grants at once, right behind as many but one. The first ones find their memory refused, where the kernel can
    do that. Their replies have to be mapped, which on strict DMA takes memory of that size, too."""
    client.run(f"stat {FILE}")
    before = connects(client)
    if failslab.there(client):
        assert client.read("/sys/kernel/slab/kmalloc-4k/failslab").strip() == "1"
        client.run(failslab.knobs(verbose=0, cache_filter="Y", ignore_gfp_wait="Y", task_filter="N",
                                  times=failslab.MANY, probability=100))
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


def uptime(host):
    return float(host.read("/proc/uptime").split()[0])


def drops_make_connections_rare(client, relay, wrong):
    """Both bounds: at once would be some hundred in that time."""
    relay.send("drop\n")
    relay.wait_for("ready to drop", timeout=30)
    before = connects(client)
    waits = client.start(f"exec stat -f {nfs.MOUNTED}")
    relay.wait_for("ended: dropped", timeout=30)
    begin = uptime(client)
    for _ in range(DROPS - 1):
        relay.wait_for("ended: dropped", timeout=60)
    seconds, made = uptime(client) - begin, connects(client) - before
    client.lab.say(f"{DROPS} connections that were dropped: within {seconds:.1f} s")
    if not 3 <= seconds <= 30 or made > DROPS:
        wrong.append(f"{made} connections in {seconds:.1f} s to a server that drops each")
    relay.send("serve\n")
    waits.wait(timeout=90)


def connects(client):
    """How often the mount connected."""
    return fields(client)["connects"]


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.start(rig, nfs.OURS, nfs.OURS)
    # The relay takes the port of RDMA; the server behind it has TCP alone.
    nfs.not_serving(server)
    server.run("rpc.nfsd 8")
    wanted = server.run(f"head -c 65536 /dev/urandom >{nfs.EXPORTED}/data && sha256sum <{nfs.EXPORTED}/data").out.split()[0]
    relay = server.start("causeway-peer nfs relay", has_input=True)
    relay.wait_for("listening", timeout=30)
    assert set(server.run("causeway-peer nfs relay-list").lines) == set(RIGHT + ERROR)
    wrong = []
    nfs.mount(client, "3", "nolock,rsize=65536,timeo=50,retrans=9")
    assert wanted in read(client), "an honest relay"
    reads_are_right_or_fail(client, relay, wanted, wrong)
    nfs.unmount(client)
    nfs.mount(client, "3", "nolock,rsize=65536")
    # Headers that are longer than the first one, from which the client learns their length.
    relay.send("without-attributes\n")
    relay.wait_for("ready for without-attributes", timeout=30)
    assert [wanted in read(client) for _ in range(2)] == [True, True], "a reply without attributes, then one with them"
    drops_make_connections_rare(client, relay, wrong)
    nfs.unmount(client)
    nfs.mount(client, "4.1", "rsize=4096,wsize=4096")
    callbacks_may_come_in_bursts(client, relay, wrong)
    nfs.unmount(client)
    relay.end_input()
    assert not wrong, "\n".join(wrong)
    nfs.stop(server)
    nfs.free(client, server)
