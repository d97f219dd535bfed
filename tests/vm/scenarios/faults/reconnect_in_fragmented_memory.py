# SPDX-License-Identifier: GPL-2.0-or-later
"""A client without contiguous memory reconnects with the memory of its old links, and attaches with
smaller messages. A server without contiguous memory accepts the client with smaller messages."""

from using import causeway
from using.fault_injection import fail_page_alloc

KERNELS = ("lockdep",)
TIER = "long"
REQUIRES = (fail_page_alloc.need,)
LEAVES = ("attachment", "export")

DISK = "/dev/causeway/10.0.0.1/m"
FRAGMENTED = "memory is fragmented: messages of 4 KiB instead of 64"
# Four or more contiguous pages are not available. On the kasan kernel the emulated adapter needs
# four for a packet.
NOTHING_LARGE = {"verbose": 0, "ignore_gfp_wait": "N", "ignore_gfp_highmem": "N", "min_order": 2, "times": -1,
                 "interval": 1, "probability": 100}
VERIFIED = (f"fio --name=verified --filename={DISK} --direct=1 --ioengine=libaio --rw=randwrite --bsrange=512-256k "
            "--iodepth=16 --size=8M --verify=crc32c --verify_fatal=1")


def fail(host, **knobs):
    host.run(fail_page_alloc.knobs(**knobs))


def complaints(host):
    return host.run(f"dmesg | grep -c '{FRAGMENTED}'", check=False).out.strip()


def inline_writes(client):
    return causeway.answer(client, "stat")["stats"][0]["counters"]["inline_writes"]


def is_large(client):
    """Return whether a message has room for a write of 16 KiB; if not, the client registers its
    memory."""
    before = inline_writes(client)
    client.run(f"dd if=/dev/zero of={DISK} bs=16k count=1 oflag=direct")
    return inline_writes(client) == before + 1


def reconnect(client, events):
    """Lose the connection during verified I/O, which waits until the client has reconnected."""
    fio = client.start(f"{VERIFIED} --loops=4 --status-interval=1")
    fio.wait_for("IOPS", timeout=60)
    client.link_down()
    events.wait_for("down", timeout=60)
    client.link_up()
    events.wait_for("live over", timeout=120)
    result = fio.wait(timeout=240)
    assert "err= 0" in result.out, result.out


def a_server_without_contiguous_memory(server, client, events):
    assert is_large(client) and complaints(server) == "0"
    fail(server, **NOTHING_LARGE)
    reconnect(client, events)
    assert complaints(server) == "1" and not is_large(client)
    fail(server, probability=0)
    reconnect(client, events)
    assert complaints(server) == "1" and is_large(client)


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 32M --allow any")
    client.run("causeway attach 10.0.0.1/m")
    assert is_large(client)
    events = causeway.watch(client)
    fail(client, **NOTHING_LARGE)
    reconnect(client, events)
    # The client requests no large memory, because it reuses the memory of the old links.
    assert complaints(client) == "0" and is_large(client)

    client.run("udevadm settle; causeway detach 10.0.0.1/m && causeway attach 10.0.0.1/m")
    assert complaints(client) == "1" and not is_large(client)
    reconnect(client, events)
    assert not is_large(client)

    fail(client, probability=0)
    before = complaints(client)
    reconnect(client, events)
    assert complaints(client) == before
    client.run("udevadm settle; causeway detach 10.0.0.1/m && causeway attach 10.0.0.1/m")
    a_server_without_contiguous_memory(server, client, events)
