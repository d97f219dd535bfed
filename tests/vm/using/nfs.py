# SPDX-License-Identifier: GPL-2.0-or-later
"""NFS for scenarios: a server that exports /srv/nfs, clients that mount it at /mnt/nfs, and checks
of what they see.

Each host uses one of two transports for RPC over RDMA, as its modprobe.d states. They cannot be in
one kernel at the same time, so choose() comes before everything else, and free() before the next
choice. The rest is what an administrator does: rpc.nfsd --rdma, mount -o rdma.
"""

import re

from . import tracing
from machine.topology import Disk, pair

CAUSEWAY, IN_TREE = "causeway", "in-tree"
TRANSPORTS = (CAUSEWAY, IN_TREE)
VERSIONS = ("3", "4.0", "4.1", "4.2")
MODULES = {CAUSEWAY: "causeway_rpcrdma", IN_TREE: "rpcrdma"}

PACKAGES = ("nfs-kernel-server", "nfs-common", "acl", "keyutils", "krb5-kdc", "krb5-admin-server", "krb5-user",
            "dbench", "stress-ng")
EXPORTED, MOUNTED = "/srv/nfs", "/mnt/nfs"
ALIASES = "/etc/modprobe.d/rig-nfs.conf"
NAMES = 10000       # files in the large folder


def topology(server=None, client=None, **rest):
    """Return a topology of a client and a server with a disk for data that has to survive a power
    cut."""
    server = {"disks": (Disk("store", "256M"),), "keep": ("/var/lib/nfs",), **(server or {})}
    return pair(server=server, client=client, packages=PACKAGES, **rest)


TOPOLOGY = topology()


def choose(host, transport, **parameters):
    """Set the transport that this host's kernel loads when NFS requests one. The parameters are
    those of that module."""
    module = MODULES[transport]
    lines = [f"alias {name} {module}" for name in ("rpcrdma", "rpcrdma6", "xprtrdma", "svcrdma") if name != module]
    if parameters:
        lines.append(f"options {module} " + " ".join(f"{key}={value}" for key, value in parameters.items()))
    host.write(ALIASES, "".join(line + "\n" for line in lines))
    prepare(host)


def prepare(host):
    """Prepare either end, once per boot."""
    # The grace period for locks of NFS 3 is short, because no host here could reclaim a lock.
    host.run("modprobe lockd nlm_grace_period=1 && modprobe -a sunrpc nfs nfsd && "
             "mkdir -p /var/lib/nfs/sm /var/lib/nfs/sm.bak /var/lib/nfs/nfsdcld /run/rpc_pipefs && "
             "chown -R statd /var/lib/nfs/sm /var/lib/nfs/sm.bak && "
             "{ mountpoint -q /run/rpc_pipefs || mount -t rpc_pipefs rpc_pipefs /run/rpc_pipefs; } && "
             "{ mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd; } && "
             "{ pgrep -x rpcbind >/dev/null || rpcbind; }")


def serve(server, fresh=True, options="", threads=8, lease=60, security="sys", durable=False, device=None):
    """Export /srv/nfs: a file system on the disk "store", or on this device. It is new if "fresh".

    It is no tmpfs, because nfsd of Linux 6.1 answers reads of holes in a tmpfs with too few pages,
    over TCP as well. Unless acknowledged data must be durable, the file system does not wait for
    the disk.
    """
    store = device or server.disk("store")
    server.run((f"mkfs.ext4 -qF -b 4096 -N 16384 {store} && " if fresh else "") +
               f"mkdir -p {EXPORTED} && mount {'' if durable else '-o barrier=0,data=writeback '}{store} {EXPORTED} && "
               f"chmod 777 {EXPORTED} && touch /var/lib/nfs/etab /var/lib/nfs/rmtab && "
               f"echo '{EXPORTED} *(rw,fsid=0,no_root_squash,insecure,no_subtree_check,sec={security}{options})' >/etc/exports && "
               "exportfs -r && rpc.mountd && rpc.statd --no-notify && nfsdcld")
    serving(server, threads, lease)


def serving(server, threads=8, lease=60):
    """Start the threads of nfsd, or start them again."""
    lease *= server.agent.scale
    server.run(f"cd /proc/fs/nfsd && echo {lease} >nfsv4leasetime && echo {lease // 4} >nfsv4gracetime && "
               f"rpc.nfsd --rdma=20049 {threads}")
    transport = server.run("grep rdma /proc/fs/nfsd/portlist").out
    assert "rdma 20049" in transport, transport


def not_serving(server):
    server.run("rpc.nfsd 0")


def mounting(client, version, options="", where=MOUNTED, server="server"):
    """Start to mount the export as a user does. The option rdma implies port 20049."""
    path = EXPORTED if version == "3" else "/"
    return client.start(f"mkdir -p {where} && "
                        f"exec mount -t nfs -o rdma,vers={version}{',' if options else ''}{options} {server}:{path} {where}")


def mount(client, version, options="", where=MOUNTED, server="server"):
    mounting(client, version, options, where, server).wait(timeout=120)
    shown = client.run(f"grep ' {where} ' /proc/mounts").out
    assert "proto=rdma" in shown and f"vers={version}," in shown, shown


def unmount(client, where=MOUNTED):
    client.run(f"umount {where}", timeout=120)


def uses(host, transport):
    """Return whether the host's kernel has this transport, and not the other one."""
    return all(host.run(f"test -d /sys/module/{module}", check=False).rc == (name != transport)
               for name, module in MODULES.items())


def stop(server):
    """End nfsd and the export."""
    not_serving(server)
    server.run(f"exportfs -auf; pkill -x rpc.mountd; pkill -x rpc.statd; pkill -x nfsdcld; umount {EXPORTED}")


def free(*hosts):
    """Unload the transports, which no process uses any more. The last user may be a work item."""
    for host in hosts:
        host.run(f"rm -f {ALIASES}")
        for module in MODULES.values():
            host.wait_for(f"[ ! -d /sys/module/{module} ] || rmmod {module}", timeout=30)


# --- checks ---

FIO = ("fio --directory={where} --ioengine=libaio --verify=crc32c --verify_fatal=1 --fallocate=none --minimal "
       "--direct=1 --size=512k --name=small --rw=randrw --bs=4k --iodepth=16 "
       "--size=1M --name=large --rw=randwrite --bs=128k --iodepth=4 "
       "--direct=0 --end_fsync=1 --size=256k --name=odd --rw=randwrite --bsrange=513-30001 --bs_unaligned --iodepth=4 "
       ">/tmp/fio.out 2>&1 || {{ cat /tmp/fio.out; exit 1; }}")


def fill(server):
    """Make the large folder on the server, where this is fast."""
    server.run(f"causeway-judge fill {EXPORTED}/large {NAMES}", timeout=120)


def judge_data(client, server, seed=1, operations=100, where=MOUNTED):
    """Check that files hold what several programs wrote to them at the same time, and that the
    server holds the same."""
    jobs = [client.start(command) for command in (
        f"causeway-judge random {where}/random-{seed} {seed} {operations}",
        f"causeway-judge random {where}/other-{seed} {seed + 1000} {operations}",
        f"causeway-judge lengths {where}/lengths", FIO.format(where=where))]
    said = [job.wait(timeout=180).out for job in jobs]
    for name, words in (("random", said[0]), ("other", said[1])):
        theirs = server.run(f"causeway-judge sum {EXPORTED}/{name}-{seed}").out
        assert words.split(": ")[1] == theirs.split(": ")[1], (words, theirs)
    client.run(f"rm {where}/random-{seed} {where}/other-{seed} {where}/lengths {where}/small.* {where}/large.* {where}/odd.*")


def judge_names(client, where=MOUNTED):
    """Check links, folders, and a large folder that fill() made."""
    for judgement in ("links", "names"):
        client.run(f"causeway-judge {judgement} {where}/{judgement}", timeout=120)
    client.run(f"causeway-judge list {where}/large {NAMES}", timeout=120)


def judge(client, server, version, seed=1, operations=100, where=MOUNTED):
    """Check everything that a mount guarantees. Versions 4.0 and 4.1 get only the checks in which
    they differ from 3 and 4.2, to save time."""
    if version == "4.2":
        # For versions without this call, the random operations leave it out.
        client.run(f"head -c 16384 /dev/urandom >{where}/punched && fallocate -p -o 4096 -l 4096 {where}/punched && rm {where}/punched")
    if version in ("3", "4.2"):
        judge_data(client, server, seed, operations, where)
        judge_names(client, where)
    else:
        client.run(f"causeway-judge random {where}/random {seed} {operations} && rm {where}/random", timeout=180)
    client.run(f"causeway-judge locks {where}/locks && rm {where}/locks", timeout=120)
    judge_acls(client, server, version, where)
    judge_locks(client, server, where)
    if version not in ("3", "4.0"):
        judge_recall(client, server, where)
    # For a while nfsd remembers a file for which it recalled a delegation, and grants no delegation
    # of it.
    client.run(f"rm {where}/held")


def lacks(host, option):
    """Return whether a kernel reports that it was built without an option. Debian's kernel reports
    nothing."""
    return host.run(f"[ -e /proc/config.gz ] && ! gzip -dc /proc/config.gz | grep -q '^CONFIG_{option}=[my]'", check=False).rc == 0


def judge_acls(client, server, version, where=MOUNTED):
    """Check access control lists. A kernel that was built without those of NFS 3 has to refuse
    them."""
    missing = [option for host, option in ((server, "NFSD_V3_ACL"), (client, "NFS_V3_ACL")) if version == "3" and lacks(host, option)]
    if missing:
        client.rig.say(f"     no access control lists of NFS 3: the {client.rig.kernel_name} kernel has no {' and no '.join(missing)}")
        client.fails(f"causeway-judge acls {where}/acls", "not supported")
    else:
        client.run(f"causeway-judge acls {where}/acls", timeout=120)
    client.run(f"rm {where}/acls")


def judge_locks(client, server, where=MOUNTED):
    """Check that no client gets a lock of a process on the server until that process releases it.
    """
    server.run(f"touch {EXPORTED}/held")
    holder = server.start(f"causeway-judge hold {EXPORTED}/held", has_input=True)
    holder.wait_for("held")
    blocked = client.start(f"causeway-judge blocked {where}/held")
    blocked.wait_for("waiting")
    holder.end_input()
    holder.wait()
    blocked.wait(timeout=90)


def judge_recall(client, server, where=MOUNTED):
    """Check the backchannel: a delegation of the client is recalled when another process writes to
    the file."""
    server.run(f"echo one >{EXPORTED}/held")
    given = "grep -q 'type: deleg' /proc/fs/nfsd/clients/*/states"
    reader = client.start(f"causeway-judge opened {where}/held", has_input=True)
    reader.wait_for("open")
    server.run(given)
    # Without the recall this would wait for the end of the lease.
    server.run(f"echo two >>{EXPORTED}/held", timeout=20)
    server.fails(given)
    reader.end_input()
    reader.wait()
    assert client.read(f"{where}/held") == "one\ntwo\n"


# --- loads that run during other actions ---

class Load:
    """Verified writes, and calls that may be executed only once, on a mount, until end(). None of
    it may fail. A write has 512 bytes to "largest"."""

    def __init__(self, client, where=MOUNTED, calls=True, largest=70000):
        self.calls = None
        self.files = client.start(
            f"mkdir -p {where}/load && until [ -e /tmp/enough ]; do fio --name=load --directory={where}/load --ioengine=libaio "
            f"--direct=1 --rw=randwrite --bsrange=512-{largest} --bs_unaligned --iodepth=8 --size=1M --verify=crc32c --verify_fatal=1 "
            "--fallocate=none --minimal >/tmp/load.fio 2>&1 || { cat /tmp/load.fio; exit 1; }; echo verified; done")
        if calls:
            client.run(f"mkdir -p {where}/calls")
            self.calls = client.start(f"causeway-judge once {where}/calls", has_input=True)
        self.client = client
        self.goes_on()

    def goes_on(self, timeout=120):
        """Wait until each has made progress from now on. Each needs two rounds, because the first
        one began earlier."""
        for job, word in ((self.files, "verified"), (self.calls, "round")):
            if job:
                job.skip()
                for _ in range(2):
                    job.wait_for(word, timeout)

    def end(self):
        self.goes_on()
        self.client.run("touch /tmp/enough")
        if self.calls:
            self.calls.end_input()
            self.calls.wait(timeout=120)
        self.files.wait(timeout=120)
        self.client.run("rm /tmp/enough")


# A condition for wait_for: no queue pair is ready to send.
DISCONNECTED = "! rdma resource show qp | grep -q ' type RC .*state RTS'"


def trace_queue_pairs(client):
    """Record the times at which queue pairs of our client break and are opened from now on, for
    pauses()."""
    tracing.start(client, "causeway_nfs_client/cwrc_down", "causeway_nfs_client/cwrc_open")


def pauses(client):
    """Return the seconds from each break of a queue pair to the opening of its replacement, by the
    client's clock, since trace_queue_pairs(). The result has a list for each place, which is named
    as in "connection 1 rail 0"."""
    broken, found = {}, {}
    for event in tracing.recorded(client):
        place = re.match(r"connection \d+ rail \d+", event.text).group()
        if event.name == "cwrc_down":
            assert place not in broken, event
            broken[place] = event.seconds
        elif place in broken:
            assert event.text.endswith("error 0"), event
            found.setdefault(place, []).append(event.seconds - broken.pop(place))
    return found


def start(rig, client_transport=CAUSEWAY, server_transport=CAUSEWAY, client_parameters=None, server_parameters=None, **serving_so):
    """Start both ends, before any mount."""
    choose(rig.server, server_transport, **(server_parameters or {}))
    choose(rig.client, client_transport, **(client_parameters or {}))
    serve(rig.server, **serving_so)


def finish(rig, *mounts):
    """Unmount, stop and unload, each of which has to succeed."""
    for where in mounts or (MOUNTED,):
        unmount(rig.client, where)
    stop(rig.server)
    free(rig.client, rig.server)


def judge_mix(client_transport, server_transport, rig, versions=VERSIONS):
    """Check every version between two transports, on one boot."""
    client, server = rig.client, rig.server
    start(rig, client_transport, server_transport)
    fill(server)
    for number, version in enumerate(versions):
        mount(client, version)
        judge(client, server, version, seed=number + 1)
        unmount(client)
        assert uses(client, client_transport) and uses(server, server_transport)
    stop(server)
    free(client, server)
