# SPDX-License-Identifier: GPL-2.0-or-later
"""With what the packages installed and DKMS built a disk is attached and verified, NFS is mounted where the kernel has it, and a purge leaves nothing."""
import json

from rig import nfs, nfs_home

TOPOLOGY = nfs.TOPOLOGY
DIRTY = True
DISK = "/dev/causeway/10.0.0.1/m"
HOME = nfs_home.HOME


def scenario(rig):
    server, client = rig.server, rig.client
    for host, module in ((server, "causeway_target"), (client, "causeway_disk")):
        host.run(f"modprobe {module}")
        assert "/updates/dkms/" in host.run(f"modinfo -F filename {module}").out
    server.run("causeway export add m --ram 64M --allow any")
    client.run("causeway attach 10.0.0.1/m")
    for bs, depth, size in (("4k", 16, "1M"), ("128k", 4, "8M"), ("1M", 2, "16M")):
        client.run(f"fio --name=w{bs} --filename={DISK} --direct=1 --ioengine=libaio --rw=randwrite --bs={bs} --iodepth={depth} "
                   f"--size={size} --verify=crc32c --verify_fatal=1 --minimal >/dev/null", timeout=120)
    client.run("causeway detach 10.0.0.1/m")
    server.run("causeway export remove m")

    if client.run("modinfo causeway_rpcrdma", check=False).rc == 0:
        mount_nfs(server, client)
    # depmod reads all modules of the kernel, which takes its time here: both at once.
    purging = [purge(host) for host in (server, client)]
    for host, job in zip((server, client), purging):
        job.wait(1200)
        nothing_is_left(host)


def mount_nfs(server, client):
    for host in (server, client):
        nfs.prepare(host)
        host.run("causeway nfs transport causeway")
    nfs_home.make(server)
    server.run("rpc.nfsd 4")
    server.run(f"causeway nfs serve {HOME} --to 10.0.0.0/24 -o no_root_squash,fsid=0")
    client.run("mkdir -p /mnt/home && causeway nfs mount server:/ /mnt/home --require rdma")
    client.run("dd if=/dev/urandom of=/tmp/file bs=100001 count=20 && cp /tmp/file /mnt/home && sync -f /mnt/home && "
               "echo 3 >/proc/sys/vm/drop_caches && cmp /tmp/file /mnt/home/file")
    assert server.run(f"sha256sum <{HOME}/file").out == client.run("sha256sum </tmp/file").out
    carriers = [each["carrier"] for each in json.loads(client.run("causeway --json net").out)["nfs"]["connections"]]
    assert carriers == ["causeway"], carriers
    client.run("causeway nfs umount /mnt/home")
    client.wait_for("causeway --json net | grep -q '\"connections\": \\[\\]'")
    server.run(f"causeway nfs unserve {HOME}")
    server.run("rpc.nfsd 0")
    for host in (server, client):
        host.run("causeway nfs transport in-tree")


def purge(host):
    host.run("/usr/lib/rig/cleanup", timeout=120)
    return host.start("dpkg --purge causeway causeway-dkms")


def nothing_is_left(host):
    left = host.run("find / -xdev -name '*causeway*' -not -path '/proc/*' -not -path '/sys/*' -not -path '/tmp/*' "
                    "-not -path '/run/*' -not -path '/out/*'").lines
    assert not left, left
    host.fails("modprobe causeway_disk", "not found")
