# SPDX-License-Identifier: GPL-2.0-or-later
"""Mounts with sec=krb5 and krb5i keep their content, and so do mounts with krb5p if the kernel
supports it by TCP, although some data must not be placed directly. With krb5i the data goes
directly from and to its pages, so that dirty pages can be written while memory is short."""
import re

from machine.needs import module
from using import kerberos, nfs
from using.mountstats import fields

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"


def refused(client, transport):
    """Return whether a mount with krb5p fails."""
    return client.run(f"mkdir -p {nfs.MOUNTED} && mount -t nfs -o proto={transport},vers=4.2,sec=krb5p server:/ {nfs.MOUNTED} && "
                      f"umount {nfs.MOUNTED}", timeout=120, check=False).rc != 0


MIB, CALLS, PAGE = 1 << 20, 8, 4096
FILE = f"{nfs.MOUNTED}/file"
# This is version 1 of control groups, where a task waits until dirty pages are written. NFS has no
# writeback by group, so version 2 ends the task instead.
GROUPS = "/tmp/groups"
CROWD = f"{GROUPS}/crowd"
MUCH = 32           # MiB that are written, with a quarter of that as memory
REQUIRES = (module("rpcsec_gss_krb5"),)


def pages(client):
    """Return how many pages the kernel has allocated so far."""
    return sum(int(count) for count in re.findall(r"^pgalloc_\w+ (\d+)", client.read("/proc/vmstat"), re.M))


def data_stays_where_it_is(client):
    """Check that each call of 1 MiB is one memory region, and that only the bytes around the data
    are copied."""
    for way, chunks, copied in (("of", "read_chunks", "pullup"), ("if", "reply_chunks", "fixup")):
        other = "if=/dev/zero" if way == "of" else "of=/dev/null"
        command = f"dd {way}={FILE} {other} bs=1M count={CALLS} {way[0]}flag=direct conv=notrunc"
        client.run(command)
        before, allocated = fields(client), pages(client)
        client.run(command)
        allocated = (pages(client) - allocated) / CALLS
        grew = {name: now - before[name] for name, now in fields(client).items()}
        client.rig.say(f"     krb5i, dd {way}=: {grew[chunks] / CALLS:.1f} segments and {grew[copied] / CALLS:.0f} bytes copied per MiB, "
                       f"{allocated:.0f} pages allocated")
        assert CALLS <= grew[chunks] <= CALLS + 2, (way, grew)
        assert 0 < grew[copied] < CALLS * PAGE, (way, grew)


def dirty_pages_are_written_in_little_memory(client, server):
    client.run(f"mkdir -p {GROUPS} && mount -t cgroup -o memory memory {GROUPS} && mkdir {CROWD} && "
               f"echo {MUCH // 4}M >{CROWD}/memory.limit_in_bytes && head -c {MUCH}M /dev/urandom >/tmp/much")
    client.run(f"sh -c 'echo $$ >{CROWD}/cgroup.procs && exec dd if=/tmp/much of={FILE} bs=64k conv=fsync'", timeout=120)
    assert int(client.read(f"{CROWD}/memory.failcnt")) > 0
    assert "oom_kill 0" in client.read(f"{CROWD}/memory.oom_control")
    sums = {host.run(f"sha256sum <{path}").out for host, path in ((client, "/tmp/much"), (server, f"{nfs.EXPORTED}/file"))}
    assert len(sums) == 1, sums
    client.run(f"rm /tmp/much && rmdir {CROWD} && umount {GROUPS}")


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.choose(server, nfs.CAUSEWAY)
    nfs.choose(client, nfs.CAUSEWAY)
    server.run("echo 1048576 >/proc/fs/nfsd/max_block_size")
    kerberos.start(server, client)
    nfs.serve(server, security="krb5:krb5i:krb5p")
    nfs.fill(server)
    kinds = ["krb5", "krb5i", "krb5p"]
    if refused(client, "rdma"):
        # Linux 6.1.192 has a fault of its own with krb5p.
        assert refused(client, "tcp"), "krb5p is refused by RDMA, and works by TCP"
        rig.say(f"     no krb5p: the {rig.kernel_name} kernel refuses it by TCP as well")
        kinds.remove("krb5p")
    for number, security in enumerate(kinds, 1):
        for version in ("4.2", "3"):
            nfs.mount(client, version, f"sec={security}")
            nfs.judge_data(client, server, number)
            nfs.judge_names(client)
            if (security, version) == ("krb5i", "4.2"):
                data_stays_where_it_is(client)
                dirty_pages_are_written_in_little_memory(client, server)
            nfs.unmount(client)
    kerberos.stop(server, client)
    nfs.stop(server)
    nfs.free(client, server)
