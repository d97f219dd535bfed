#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make demo: two emulated machines share two disks and a folder over RDMA, lose a network, and go on over TCP, or when
the network is back."""

import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from using import causeway, nfs, paths              # noqa: E402
from machine.rig import Rig, prepare                # noqa: E402
from machine.runner import run_folder               # noqa: E402
from machine.topology import Disk, pair             # noqa: E402

TOPOLOGY = pair(
    server={"memory": 1536, "init": "systemd", "disks": (Disk("store", "1G"),)},
    client={"init": "systemd", "keep": ("/etc/causeway",)},
    links=2, packages=nfs.PACKAGES)

SERVER = "10.0.0.1"
HOME = "/srv/store/home"
OUTAGE = 5              # seconds for which the only network of a disk is away
LATENCIES = "/tmp/cut"
FAST, FILE = f"/dev/causeway/{SERVER}/fast", f"/dev/causeway/{SERVER}/archive"

# The runs of fio on the disks: kind, block size, depth, bytes.
PATTERNS = [
    ("randwrite", "512", 1, "512k"),
    ("write", "512", 16, "1m"),
    ("randwrite", "4k", 1, "4m"),
    ("randwrite", "4k", 64, "16m"),
    ("write", "64k", 8, "32m"),
    ("randwrite", "128k", 4, "32m"),
    ("write", "1m", 64, "96m"),
]

NFS_PATTERNS = [("randwrite", "4k", 16, "4m"), ("write", "128k", 4, "16m")]


def say(text):
    print(text, flush=True)


def step(text):
    say(f"\n--- {text}")


def shown(host, command, timeout=120):
    """Run a command and show it as a person at a terminal would see it."""
    say(f"{host.name}# {command}")
    result = host.run(command, timeout)
    for line in result.lines:
        say(f"    {line}")
    return result


def fio(path, rw, size_of_block, depth, size, more=""):
    return (f"fio --name={rw}-{size_of_block}-qd{depth} --filename={path} --rw={rw} --bs={size_of_block} "
            f"--iodepth={depth} --size={size} --ioengine=libaio --direct=1 --verify=crc32c "
            f"--verify_fatal=1 --do_verify=1 --group_reporting {more}")


def fio_lines(result):
    """Return the lines of fio's report with the result."""
    wanted = ("read:", "write:", "err=", "clat (")
    return [line.strip() for line in result.lines if any(word in line for word in wanted)]


def verified_runs(client, path):
    for pattern in PATTERNS:
        result = client.run(fio(path, *pattern), timeout=300)
        say(f"client# fio {pattern[0]} {pattern[1]} depth {pattern[2]}, verified, on {path}")
        for line in fio_lines(result):
            say(f"    {line}")


def share_a_folder(rig):
    """Share a folder by NFS over our transports at both ends, with the commands of a user."""
    server, client = rig.server, rig.client
    for host in (server, client):
        shown(host, "causeway nfs transport causeway")
    server.run(f"mkdir -p {HOME} && chmod 777 {HOME}")
    client.run("mkdir -p /mnt/home")
    shown(server, f"causeway nfs serve {HOME} --to 10.0.0.0/24")
    shown(client, f"causeway nfs mount {SERVER}:{HOME} /mnt/home")
    for pattern in NFS_PATTERNS:
        result = client.run(fio("/mnt/home/data", *pattern), timeout=300)
        say(f"client# fio {pattern[0]} {pattern[1]} depth {pattern[2]}, verified, on /mnt/home/data")
        for line in fio_lines(result):
            say(f"    {line}")
    shown(client, "causeway net")
    shown(client, "causeway nfs umount /mnt/home")
    shown(server, f"causeway nfs unserve {HOME}")


def watched(events, pattern, timeout=60):
    """Wait for an event of the client, and show it."""
    say(f"    {events.wait_for(rf'^.*{pattern}.*$', timeout).group(0)}")


def fall_back_and_return(rig):
    """Silence the network of the path over RDMA until I/O goes over TCP, and bring the network back, in the middle of a
    verified run."""
    server, client = rig.server, rig.client
    events = causeway.watch(client)
    job = client.start(fio("/mnt/fast/moves", "randwrite", "4k", 16, "4m",
                           "--status-interval=1 --time_based --runtime=1h"))
    job.wait_for("write: IOPS=", timeout=120)
    server.link_down(0)
    say("(network 0 is cut)\nclient# causeway watch")
    watched(events, f"fallback {SERVER}/fast")
    job.skip()
    job.wait_for("write: IOPS=", timeout=60)        # fio writes on
    shown(client, "causeway net")
    shown(client, f"causeway path list {SERVER}/fast")
    server.link_up(0)
    say("(network 0 is back)\nclient# causeway watch")
    watched(events, f"return {SERVER}/fast", timeout=120)
    shown(client, f"causeway path list {SERVER}/fast")
    events.kill()
    for line in fio_lines(paths.passes(job))[-5:]:
        say(f"    {line}")


def wait_out_a_cut(rig):
    """Cut the only network of a disk for some seconds in the middle of a verified run, and measure for how long I/O
    stands still when the network is back."""
    server, client = rig.server, rig.client
    job = client.start(fio("/mnt/archive/cut", "randwrite", "4k", 1, "16m",
                           f"--status-interval=1 --write_lat_log={LATENCIES}"))
    job.wait_for("write: IOPS=", timeout=120)
    server.link_down(0)
    cut = time.monotonic()
    say("(network 0 is cut)")
    time.sleep(OUTAGE)      # the outage that is demonstrated; it waits for no event
    outage = time.monotonic() - cut
    server.link_up(0)
    say("(network 0 is back)")
    for line in fio_lines(job.wait(timeout=600))[-5:]:
        say(f"    {line}")
    longest = int(client.run(f"sort -t, -nk2 {LATENCIES}_lat.1.log | tail -n 1").out.split(",")[1]) / 1e9
    say(f"longest I/O: {longest:.2f} s, of which the network was away for {outage:.2f} s: "
        f"I/O went on {longest - outage:.2f} s after its return")
    if longest < outage - 0.5:
        raise AssertionError("no I/O waited for the network")


def demo(rig):
    server, client = rig.server, rig.client
    step("The server exports 512 MiB of memory and a file on a virtual disk")
    store = server.disk("store")
    server.run(f"mkfs.ext4 -q {store} && mkdir -p /srv/store && mount {store} /srv/store && "
               "fallocate -l 768M /srv/store/archive.img", timeout=120)
    shown(server, "causeway export add fast --ram 512M --allow any --tcp")
    shown(server, "causeway export add archive --file /srv/store/archive.img --allow any")
    shown(server, "causeway export list")

    step("The client attaches both by RDMA, and one also over TCP by the other network")
    for name in ("fast", "archive"):
        shown(client, f"causeway attach {SERVER}/{name}")
    shown(client, f"causeway path add {SERVER}/fast --path 10.1.0.1 --transport tcp")
    for path in (FAST, FILE):
        client.wait_for(f"test -b {path}")
    shown(client, "causeway list")
    shown(client, "causeway path list")

    step("ext4 on one, xfs on the other, and fio checks every block it wrote")
    client.run(f"mkfs.ext4 -q {FAST} && mkdir -p /mnt/fast && mount {FAST} /mnt/fast", timeout=300)
    client.run(f"mkfs.xfs -q {FILE} && mkdir -p /mnt/archive && mount {FILE} /mnt/archive", timeout=300)
    for path in ("/mnt/fast/data", "/mnt/archive/data"):
        verified_runs(client, path)
    shown(client, "causeway net")
    shown(client, "causeway stat")

    step("A folder of the server, by NFS over RDMA")
    share_a_folder(rig)

    step("The network of the RDMA path falls silent during a verified run: I/O goes over TCP, and returns to RDMA")
    fall_back_and_return(rig)

    step(f"The only network of the other disk is away for {OUTAGE} seconds during a verified run")
    wait_out_a_cut(rig)
    shown(client, "causeway net")

    step("The client reboots and finds its disks attached")
    client.run("cp /bin/bash /mnt/archive/kept && umount /mnt/archive /mnt/fast", timeout=120)
    client.reboot()
    client.wait_for(f"test -b {FAST} && test -b {FILE}", timeout=120)
    client.run(f"mkdir -p /mnt/archive && mount {FILE} /mnt/archive && cmp /bin/bash /mnt/archive/kept && "
               "umount /mnt/archive", timeout=120)
    shown(client, "causeway list")

    step("Detach, remove, unload")
    for name in ("fast", "archive"):
        shown(client, f"causeway detach {SERVER}/{name}")
    for name in ("fast", "archive"):
        shown(server, f"causeway export remove {name}")
    for host in (client, server):
        host.run("/usr/lib/rig/cleanup", timeout=120)
        say(f"{host.name}: modules unloaded")
    rig.scan()


def main():
    folder = run_folder()
    rig = None
    try:
        step("Guest image and kernel (made once, then kept)")
        made = prepare("stock", folder, say)
        rig = Rig(TOPOLOGY, "stock", *made, folder, say)
        with open(folder / "demo.log", "w") as log:
            rig.log_file = log
            step("Two machines start, joined by two networks, Soft-RoCE on both")
            say(f"up after {rig.boot():.0f} s")
            demo(rig)
    except Exception as error:                      # the message is for the person at the terminal
        say(f"\ndemo: FAILED: {error}\nread {folder}/demo.log and {folder}/*.console")
        return 1
    finally:
        if rig:
            rig.power_off()
    say("\ndemo: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
