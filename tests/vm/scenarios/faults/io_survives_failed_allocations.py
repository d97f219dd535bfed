# SPDX-License-Identifier: GPL-2.0-or-later
"""I/O neither fails nor corrupts data while memory allocations fail at either end. Requests that
failed for want of memory succeed afterwards.

Each phase counts the allocations that failed, and needs at least one."""

from using.fault_injection import MANY, MARK_SHELL, MARK_WORKERS, failslab, of
from machine.topology import pair
from using import causeway

# Our modules allocate these sizes. The packets of the emulated adapter, which a failure would lose
# for good, are larger.
SIZES = of(32, 64, 96, 128, 192, 256)
TOPOLOGY = pair(server=SIZES, client=SIZES)
TIER = "long"
KERNELS = ("kasan",)
# The kernel prints a trace where it refused a vmalloc() or a page; a real fault has a line of its
# own above such a trace.
KNOWN_SPLATS = ("Call Trace:", "page allocation failure", "vmalloc error")
REQUIRES = (failslab.need,)
LEAVES = ("attachment", "export")

DISK = "/dev/causeway/10.0.0.1/m"
FIO = (f"fio --name=pressure --filename={DISK} --direct=1 --ioengine=libaio --rw=randwrite --bsrange=512-256k "
       "--iodepth=16 --size=4M --verify=crc32c --verify_fatal=1")
MARKED = f"{MARK_SHELL} && exec"


def verified(client, before=""):
    result = client.run(before + FIO, timeout=120)
    assert "err= 0" in result.out, result.out


def counter(host, name):
    return causeway.answer(host, "stat")["stats"][0]["counters"][name]


def atomic_ones(host, client):
    """Let atomic allocations fail in every context of the host, including interrupts. Return how
    many failed."""
    host.run(failslab.knobs(verbose=0, cache_filter="Y", ignore_gfp_wait="Y", task_filter="N",
                            times=MANY, interval=1, probability=5))
    verified(client)
    host.run(failslab.knobs(probability=0))
    return failslab.refused(host)


def those_of_a_request(client):
    """Let the lists of segments and of ranges to discard fail, which the client allocates when it
    sends a request. Return how many of each failed."""
    client.run(failslab.knobs(cache_filter="N", ignore_gfp_wait="Y", task_filter="Y", times=MANY, probability=30))
    verified(client, f"{MARKED} ")
    data = failslab.refused(client)
    for at in range(16):
        client.run(f"{MARKED} blkdiscard -o {at << 20} -l 65536 {DISK}")
    client.run(failslab.knobs(probability=0))
    return data, failslab.refused(client) - data


def those_of_large_commands(server, client):
    """Let allocations of large commands fail: the server answers that it has no memory, and the
    client sends the command again. Return how many allocations failed and how many commands ended
    with that answer."""
    before = counter(client, "errors")
    verified(client)
    assert counter(client, "errors") == before
    server.run(MARK_WORKERS)
    server.run(failslab.knobs(cache_filter="N", ignore_gfp_wait="N", task_filter="Y", times=MANY, probability=20))
    verified(client)
    server.run(failslab.knobs(probability=0))
    return failslab.refused(server), counter(client, "errors") - before


def a_message_that_cannot_be_kept(server, client):
    """A message for which the client has no memory ends the connection, and the client does not
    blame the server."""
    events = causeway.watch(client)
    client.run(failslab.knobs(cache_filter="Y", ignore_gfp_wait="Y", task_filter="N", times=MANY, probability=100))
    # The server notifies its clients of the removal.
    server.run("causeway export remove m --force")
    events.wait_for(r"10\.0\.0\.1/m.*no memory to take a message", timeout=30)
    client.run(failslab.knobs(probability=0))
    client.run("causeway detach 10.0.0.1/m --force")
    return failslab.refused(client)


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 32M --allow any")
    client.run("causeway attach 10.0.0.1/m")
    assert server.run("cat /sys/kernel/slab/kmalloc-64/failslab").out.strip() == "1"
    counts = {
        "atomic at the client": atomic_ones(client, client),
        "atomic at the server": atomic_ones(server, client),
    }
    counts["lists of segments"], counts["lists of ranges"] = those_of_a_request(client)
    counts["at the server's workers"], counts["commands sent again for want of memory"] = those_of_large_commands(server, client)
    connection, = causeway.connections(client)
    assert connection["reconnects"] == 0, connection
    client.run("udevadm settle; causeway detach 10.0.0.1/m")

    # Allocations of the server that may wait fail too, in each step of a login. A failed attach
    # must report an error.
    server.run(failslab.knobs(cache_filter="Y", ignore_gfp_wait="N", task_filter="N", times=MANY))
    attachments = 0
    for probability in (1, 2, 3, 5) * 3:
        # The agent on the server is an ordinary program: it must have nothing to do until allocations succeed again.
        failing = server.start(f"echo failing; {failslab.knobs(probability=probability)}; read -r; "
                               f"until {failslab.knobs(probability=0)}; do :; done 2>/dev/null", has_input=True)
        failing.wait_for("failing")
        result = client.run("causeway attach 10.0.0.1/m --no-persist", timeout=120, check=False)
        failing.send("enough\n")
        failing.wait()
        attachments += result.rc != 0
        left = causeway.attachments(client)
        assert bool(left) == (result.rc == 0), (result.rc, result.out, left)
        client.run("udevadm settle; causeway detach 10.0.0.1/m")
    counts["in logins"], counts["attachments refused"] = failslab.refused(server), attachments
    client.run("causeway attach 10.0.0.1/m")
    verified(client)
    counts["control messages"] = a_message_that_cannot_be_kept(server, client)
    rig.say("; ".join(f"{what}: {count}" for what, count in counts.items()))
    assert all(counts.values()), counts
