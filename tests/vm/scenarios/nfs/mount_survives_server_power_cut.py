# SPDX-License-Identifier: GPL-2.0-or-later
"""A server that lost its power, and its disk what was not flushed, and came back has every write that it had acknowledged as
stable, and the client sends again what was not and just goes on."""
from machine.needs import module
from using import nfs, write_log
from machine.topology import Disk

TOPOLOGY = nfs.topology(server={"disks": (Disk("store", "1G"),)})
TIER = "long"
KERNELS = ("stock",)
DIRTY = True
REQUIRES = (module("dm_log_writes"),)

SIZE, LOG, LOG_SIZE = 262144, 262144, 1572864      # sectors: of the file system, where its log begins, of that
FSYNCED = ("cd /mnt/nfs && for ((i = 0; ; i++)); do dd if=/dev/urandom of=synced-$i bs=10000 count=7 conv=fsync status=none && "
           "sha256sum synced-$i >>/tmp/synced && echo synced $i; done")


def data(server):
    store = server.disk("store")
    server.run(f"modprobe dm_mod; dmsetup create data --table '0 {SIZE} linear {store} 0'")
    return "/dev/mapper/data"


def scenario(rig):
    server, client = rig.server, rig.client
    server.run(f"modprobe dm_mod; dmsetup create log --table '0 {LOG_SIZE} linear {server.disk('store')} {LOG}'")
    device = write_log.start(server, "logged", data(server), "/dev/mapper/log")
    nfs.start(rig, durable=True, device=device)
    nfs.mount(client, "4.2")
    # Answers were remembered in memory, so what may be done but once is not tried here.
    load = nfs.Load(client, calls=False)
    synced = client.start(FSYNCED)
    synced.wait_for("synced 2", timeout=60)
    server.power_cut()
    write_log.forget(server, "store", 0, SIZE, LOG)
    client.wait_for(nfs.DISCONNECTED, timeout=90)
    server.boot()
    nfs.choose(server, nfs.OURS)
    nfs.serve(server, fresh=False, durable=True, device=data(server))
    synced.skip()
    synced.wait_for("synced", timeout=180)
    synced.kill()
    load.goes_on(timeout=180)
    load.end()
    # The server's own look: no page of the client can stand in for what was lost.
    client.run("cp /tmp/synced /mnt/nfs/sums && sync -f /mnt/nfs")
    server.run(f"cd {nfs.EXPORTED} && sha256sum -c --quiet sums")
    nfs.finish(rig)
