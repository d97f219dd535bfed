# SPDX-License-Identifier: GPL-2.0-or-later
"""A server has attached a disk from itself. A file system on the disk keeps its content although
more is written than fits into memory. The connection is lost twice while memory is short, and comes
back. No allocation of the server's or the client's works waits for I/O, and the works that end the
lost connection need no memory for a thread."""
import re

from machine.needs import module
from machine.topology import Disk, pair
from using import causeway

TOPOLOGY = pair(server={"disks": (Disk("store", "1G"),), "memory": 320})
TIER = "long"
KERNELS = ("stock",)
REQUIRES = (module("noio_count"),)

DISK = "/dev/causeway/10.0.0.1/m"
CONTENT = "seq 10000000 99999999 | head -c 500M"
LOSSES = 2
# The handler of connection requests, the login, the three works of a session's end, the client's
# session and path, the commands of a link.
WORKS = ("cw_listener_event", "cw_server_login_work", "cw_session_end_work", "cw_session_finish_work", "cw_session_last_work",
         "cw_session_work", "cw_path_connect_work", "cw_path_work", "cwt_link_work")
# These allocate whenever they run for a session, so they show that the module counts allocations.
ALLOCATE = ("cw_listener_event", "cw_server_login_work", "cw_session_last_work", "cw_path_connect_work")
# The disk's timers, and the works that end a connection and make a new one.
RESCUED = ("cw_hold_work", "cw_session_work", "cw_path_connect_work", "cw_path_work", "cw_server_login_work",
           "cw_session_end_work", "cw_session_finish_work", "cw_session_last_work")
TRACE = "/sys/kernel/tracing"
NOIO_COUNT = "/sys/kernel/debug/noio_count"
QUEUED = f"{TRACE}/events/workqueue/workqueue_queue_work"
STALLS = "awk '/^allocstall/ { n += $2 } END { print n }' /proc/vmstat"


def stalls(host):
    """Return how many allocations had to reclaim memory themselves."""
    return int(host.run(STALLS).out)


def judge_allocations(host):
    out = host.read(NOIO_COUNT)
    print(out)
    counted = {name: tuple(map(int, numbers)) for name, *numbers in
               re.findall(r"^(\w+) calls (\d+) allocations (\d+) io (\d+) missed (\d+)$", out, re.M)}
    assert set(counted) == set(WORKS), out
    for name, (calls, allocations, io, missed) in counted.items():
        assert calls and not io and not missed, out
        assert allocations or name not in ALLOCATE, out


def judge_queues(host):
    """Check that each queue of these works has a rescuer, as WQ_MEM_RECLAIM provides: a thread that
    was made with the queue and has its name, cut to 15 characters. Since Linux 6.9 the name has a
    prefix."""
    out = host.run(f"echo 0 > {QUEUED}/enable && cat {TRACE}/trace && echo > {TRACE}/trace").out
    queues = dict(re.findall(r"function=(\w+).* workqueue=(\S+)", out))
    threads = host.run("cat /proc/[0-9]*/comm 2>/dev/null", check=False).out.splitlines()
    for work in RESCUED:
        queue = queues[work]
        assert queue[:15] in threads or f"kworker/R-{queue}" in threads, f"{work} is queued on {queue}"


def lose_connection(rig, events):
    """Remove the device after more allocations had to reclaim memory, and add it again."""
    server = rig.server
    before = stalls(server)
    server.wait_for(f"[ $({STALLS}) -gt {before} ]", timeout=200)
    server.run(f"echo 1 > {QUEUED}/enable && rdma link delete rxe0")
    events.wait_for("down 10.0.0.1/m", timeout=10)
    server.run("rdma link add rxe0 type rxe netdev eth0")
    events.wait_for("live over", timeout=60)
    # The timer runs when its time has passed, with or without a path. The last work of the old
    # session runs beside the login.
    server.wait_for(f"grep -q cw_hold_work {TRACE}/trace && grep -q '^cw_session_last_work calls [1-9]' {NOIO_COUNT}")
    judge_queues(server)
    judge_allocations(server)


def scenario(rig):
    server = rig.server
    server.run(f"modprobe -a ext4 causeway_disk causeway_target && modprobe noio_count functions={','.join(WORKS)}")
    events = causeway.watch(server)
    server.run(f"causeway export add m --device {server.disk('store')} --allow any && causeway attach 10.0.0.1/m")
    # The filter leaves out causeway_target, which has as many works as commands. It includes cw_m,
    # the queue of the export's sessions.
    server.run(f"echo 'workqueue ~ \"causeway_[cdhs]*\" || workqueue ~ \"cw_*\"' > {QUEUED}/filter")
    # Dirty pages may fill most of the memory before a writer has to wait.
    server.run("echo 80 > /proc/sys/vm/dirty_ratio && echo 70 > /proc/sys/vm/dirty_background_ratio")
    server.run(f"mkfs.ext4 -q {DISK} && mkdir -p /mnt/m && mount {DISK} /mnt/m")
    writer = server.start(f"{CONTENT} >/mnt/m/file && sync")
    events.skip()
    for _ in range(LOSSES):
        lose_connection(rig, events)
        assert writer.running, "it was written before the connection was lost"
    writer.wait(timeout=300)
    server.run("umount /mnt/m && echo 3 >/proc/sys/vm/drop_caches && mount " + f"{DISK} /mnt/m")
    server.run(f"{CONTENT} | cmp - /mnt/m/file", timeout=300)
    judge_allocations(server)
    server.run("umount /mnt/m && causeway detach 10.0.0.1/m && causeway export remove m && rmmod noio_count")
