#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make demo: two emulated machines share two disks and a folder over RDMA, lose their network, and go on."""

import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from using import nfs                               # noqa: E402
from machine.rig import Rig, prepare                # noqa: E402
from machine.runner import run_folder               # noqa: E402
from machine.topology import Disk, pair             # noqa: E402

TOPOLOGY = pair(
    server={"memory": 1536, "init": "systemd", "disks": (Disk("store", "1G"),)},
    client={"init": "systemd", "keep": ("/etc/causeway",)},
    links=2, packages=nfs.PACKAGES)

SERVER = "10.0.0.1"
HOME = "/srv/store/home"
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


def survive_a_cut(rig):
    """Cut both links for some seconds in the middle of a verified run."""
    job = rig.client.start(fio("/mnt/fast/cut", "randwrite", "4k", 16, "24m", "--status-interval=1 --loops=2"))
    job.wait_for(r"write: IOPS=", timeout=120)
    for link in (0, 1):
        rig.server.link_down(link)
    say("(network cut)")
    # The cut has to last: this is the demonstration, not a wait for an event.
    time.sleep(5)
    shown(rig.client, "causeway net")
    for link in (0, 1):
        rig.server.link_up(link)
    say("(network back)")
    result = job.wait(timeout=600)
    for line in fio_lines(result)[-3:]:
        say(f"    {line}")


def demo(rig):
    server, client = rig.server, rig.client
    step("The server exports 512 MiB of memory and a file on a virtual disk")
    store = server.disk("store")
    server.run(f"mkfs.ext4 -q {store} && mkdir -p /srv/store && mount {store} /srv/store && "
               "fallocate -l 768M /srv/store/archive.img", timeout=120)
    shown(server, "causeway export add fast --ram 512M --allow any")
    shown(server, "causeway export add archive --file /srv/store/archive.img --allow any")
    shown(server, "causeway export list")

    step("The client attaches both")
    for name in ("fast", "archive"):
        shown(client, f"causeway attach {SERVER}/{name}")
    for path in (FAST, FILE):
        client.wait_for(f"test -b {path}")
    shown(client, "causeway list")

    step("ext4 on one, xfs on the other, and fio checks every block it wrote")
    client.run(f"mkfs.ext4 -q {FAST} && mkdir -p /mnt/fast && mount {FAST} /mnt/fast", timeout=300)
    client.run(f"mkfs.xfs -q {FILE} && mkdir -p /mnt/archive && mount {FILE} /mnt/archive", timeout=300)
    for path in ("/mnt/fast/data", "/mnt/archive/data"):
        verified_runs(client, path)
    shown(client, "causeway net")
    shown(client, "causeway stat")

    step("A folder of the server, by NFS over RDMA")
    share_a_folder(rig)

    step("The network goes away for five seconds in the middle of a verified run")
    survive_a_cut(rig)
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
