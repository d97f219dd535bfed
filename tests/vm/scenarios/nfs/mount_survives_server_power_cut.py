# SPDX-License-Identifier: GPL-2.0-or-later
"""A server loses its power, and its disk loses unflushed data. When the server is back, it has
every write that it acknowledged as stable. The client sends the other writes again and goes on."""
from machine.needs import module
from using import nfs, write_log
from machine.topology import Disk

TOPOLOGY = nfs.topology(server={"disks": (Disk("store", "1G"),)})
TIER = "long"
KERNELS = ("stock",)
DIRTY = True
REQUIRES = (module("dm_log_writes"),)

SIZE, LOG, LOG_SIZE = 262144, 262144, 1572864      # sectors: size of the file system, start of its log, size of its log
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
    # The server remembered answers only in memory, so the load has no calls that may be executed
    # only once.
    load = nfs.Load(client, calls=False)
    synced = client.start(FSYNCED)
    synced.wait_for("synced 2", timeout=60)
    server.power_cut()
    write_log.forget(server, "store", 0, SIZE, LOG)
    client.wait_for(nfs.DISCONNECTED, timeout=90)
    server.boot()
    nfs.choose(server, nfs.CAUSEWAY)
    nfs.serve(server, fresh=False, durable=True, device=data(server))
    synced.skip()
    synced.wait_for("synced", timeout=180)
    synced.kill()
    load.goes_on(timeout=180)
    load.end()
    # The server reads the files itself, so no page of the client can hide a loss.
    client.run("cp /tmp/synced /mnt/nfs/sums && sync -f /mnt/nfs")
    server.run(f"cd {nfs.EXPORTED} && sha256sum -c --quiet sums")
    nfs.finish(rig)
