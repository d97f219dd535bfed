# SPDX-License-Identifier: GPL-2.0-or-later
"""Causeway renews a Soft-RoCE device of its own that fell silent while its interface was down, at
either end, so that I/O goes on. It does not renew the device while another program has a connection
on it, which goes on too."""

from machine.topology import pair
from using import causeway, verified

TOPOLOGY = pair(server={"init": "systemd"}, client={"init": "systemd"}, rdma="none")
TIER = "long"
LEAVES = ("file",)

DISK = "/dev/causeway/10.0.0.1/m"
UNIT = "causeway-soft-renew@eth0.service"
CONTINUE, STOP = 18, 19     # signals


def rping(host, peer, port):
    """Start another program's connection from a host; return its Job, and that of the other end."""
    serving = peer.start(f"exec rping -s -P -p {port} -a {peer.address()}")
    job = host.start(f"for try in 1 2 3 4 5; do rping -c -V -p {port} -a {peer.address()} -C 1 && break; done; "
                     f"exec rping -c -v -p {port} -a {peer.address()} -C 100000")
    job.wait_for("ping data", timeout=60)
    return job, serving


def end(job):
    job.kill(9)
    job.wait(check=False)


def pings(job):
    """Check that another program's connection goes on: it sends and gets answers from now on."""
    job.skip()
    for _ in range(3):
        job.wait_for("ping data", timeout=60)


def fall_silent(host, peer, job):
    """Take the interface down while another program ends, whose disconnect request has no route.

    A packet that is in the send ring of virtio_net when the interface goes down stays there until
    the interface is up. It holds its queue pair, and rxe of Linux 6.1 destroys a queue pair that is
    held after 50 s, with a warning. So the program sends nothing more, and a later packet makes
    virtio_net give back those before it."""
    job.kill(STOP)
    host.run(f"ping -c 2 -i 0.2 {peer.address()}")
    host.run("ip link set eth0 down")
    job.kill(9)
    job.wait(timeout=60, check=False)
    host.run("ip link set eth0 up")


def said(host):
    return host.run(f"journalctl -o cat -u {UNIT}").out


def renewed_and_live(host, events):
    """Check that the device is made anew and the disk is back, in bounded time."""
    try:
        events.wait_for("live over", timeout=40)
    finally:
        host.run(f"journalctl -o short-monotonic -u {UNIT}; rdma resource show pd; rdma resource show ctx; rdma link show", check=False)
    assert "rxe0 on eth0 was made anew" in said(host), said(host)


def live(client):
    connection, = causeway.connections(client)
    return connection["state"] == "live"


def scenario(rig):
    server, client = rig.server, rig.client
    for host in server, client:
        host.run("modprobe -a rdma_ucm ib_uverbs")
    server.run("causeway export add m --ram 64M --soft eth0 --allow any", timeout=120)
    client.run("causeway attach 10.0.0.1/m --soft eth0", timeout=120)
    events = causeway.watch(client)
    for host, peer in ((client, server), (server, client)):
        job, serving = rping(host, peer, 7174)
        fio = verified.start(client, DISK, "--rw=randrw --bs=16k --iodepth=8 --size=16M --loops=2")
        fall_silent(host, peer, job)
        renewed_and_live(host, events)
        verified.passes(fio)
        end(serving)

    # Another program's connection survives the time without the interface, because it sends nothing
    # meanwhile, and its device is left alone.
    job, serving = rping(client, server, 7174)
    other, other_serving = rping(client, server, 7175)
    other.kill(STOP)
    renewed = said(client).count("was made anew")
    fall_silent(client, server, job)
    client.wait_for(f"journalctl -o cat -u {UNIT} | grep -q 'rping (process .*) uses it'", timeout=60)
    other.kill(CONTINUE)
    pings(other)
    assert said(client).count("was made anew") == renewed and not live(client)
    fio = client.start(f"fio --name=waits --filename={DISK} --direct=1 --rw=write --bs=16k --size=1M --verify=crc32c --verify_fatal=1")
    other.kill(9)
    events.wait_for("live over", timeout=40)
    verified.passes(fio, timeout=60)
    assert said(client).count("was made anew") == renewed + 1

    # An interface that only goes down and comes up changes nothing.
    end(serving)
    # The command does not remove a device that a program has open: the kernel would wait for the
    # program.
    refused = server.run("causeway soft remove rxe0", check=False)
    assert refused.rc == 75 and "rping (process" in refused.out, refused.out
    end(other_serving)
    # The kernel numbers devices in the order in which they are made.
    number = client.run("rdma dev show | cut -d: -f1").out
    looked = said(client).count("takes connections: nothing to do")
    client.run("ip link set eth0 down && ip link set eth0 up")
    client.wait_for(f"[ $(journalctl -o cat -u {UNIT} | grep -c 'takes connections: nothing to do') -gt {looked} ]", timeout=30)
    events.wait_for("live over", timeout=40)
    assert client.run("rdma dev show | cut -d: -f1").out == number

    client.run("causeway detach --all && causeway soft remove rxe0", timeout=120)
    server.run("causeway export remove m && causeway soft remove rxe0", timeout=120)
