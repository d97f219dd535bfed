# SPDX-License-Identifier: GPL-2.0-or-later
"""A call that was killed by a signal or by umount -f returns its credit when its reply arrives. A
call that waits for a credit then goes on, even if another call is never answered."""

from machine.needs import module
from using import causeway, nfs
from using.mountstats import fields

TOPOLOGY = nfs.TOPOLOGY
TIER = "ci"
REQUIRES = (module("brd"),)

SLOTS = 8
SLOW = "/srv/slow"      # a second file system, which stays frozen


def net(client):
    return causeway.nfs_connections(client)[0]


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.start(rig, client_parameters={"slots": SLOTS}, threads=2 * SLOTS)
    folders = " ".join(f"{nfs.EXPORTED}/d{i}" for i in range(SLOTS - 1))
    server.run(f"mkdir -m 777 {folders} {SLOW} && modprobe brd rd_nr=1 rd_size=16384 && "
               f"mkfs.ext4 -qF /dev/ram0 && mount /dev/ram0 {SLOW} && chmod 777 {SLOW} && "
               f"echo '{SLOW} *(rw,fsid=8,no_root_squash,insecure,no_subtree_check)' >>/etc/exports && exportfs -r")
    nfs.mount(client, "3", "noac")
    client.run(f"mkdir -p /mnt/slow && mount -t nfs -o rdma,vers=3,noac server:{SLOW} /mnt/slow", timeout=120)
    # The window is at its largest: every slot has a credit.
    client.run(f"ls {nfs.MOUNTED} /mnt/slow")
    client.wait_for(f"causeway --json net | grep -q '\"credits\": {SLOTS},'")

    server.run(f"fsfreeze -f {nfs.EXPORTED} && fsfreeze -f {SLOW}")
    killed = [client.start(f"exec touch {nfs.MOUNTED}/d{i}/file") for i in range(SLOTS - 1)]
    client.wait_for(f"causeway --json net | grep -q '\"calls\": {SLOTS - 1},'")
    bad = bad_xids(client)
    # A process stays in the folder, so that umount -f ends the calls but not the mount.
    stays = client.start(f"cd {nfs.MOUNTED} && echo there && exec sleep 1000")
    stays.wait_for("there")
    for job in killed[::2]:
        job.kill(9)
    client.fails(f"umount -i -f {nfs.MOUNTED}", "busy")
    for job in killed:
        job.wait(check=False)
    stays.kill(9)
    stays.wait(check=False)
    client.wait_for("causeway --json net | grep -q '\"calls\": 0,'")
    # One more call can be sent. The server does not answer it.
    hangs = client.start("exec touch /mnt/slow/file")
    client.wait_for("causeway --json net | grep -q '\"calls\": 1,'")
    waits = client.start(f"exec stat {nfs.MOUNTED}/d0")
    client.wait_for("[ -n \"$(grep -l rpc_wait_bit_killable /proc/$(pgrep -x stat)/wchan)\" ]")
    server.run(f"fsfreeze -u {nfs.EXPORTED}")
    waits.wait(timeout=30)
    assert hangs.running and net(client)["calls"] == 1, net(client)
    # Each reply for which no call waits is counted once.
    assert bad_xids(client) - bad == SLOTS - 1, (bad, bad_xids(client))
    server.run(f"fsfreeze -u {SLOW}")
    hangs.wait()
    client.run("umount /mnt/slow")
    nfs.unmount(client)
    server.run(f"exportfs -u '*:{SLOW}'; umount {SLOW} && modprobe -r brd")
    nfs.stop(server)
    nfs.free(client, server)


def bad_xids(client):
    """Return how many replies came that no call waited for."""
    return fields(client)["bad_xids"]
