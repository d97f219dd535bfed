# SPDX-License-Identifier: GPL-2.0-or-later
"""With what the packages installed and DKMS built a disk is attached and verified, NFS is mounted where the kernel has it. After
verbs have set the machines up, a purge leaves nothing of them, and NFS over RDMA goes by the kernel's own module."""
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

    nfs_is_built = client.run("modinfo causeway_rpcrdma", check=False).rc == 0
    if nfs_is_built:
        mount_nfs(server, client)
    for host in (server, client):
        set_up(host, nfs_is_built)
    # depmod reads all modules of the kernel, which takes its time here: both at once.
    purging = [purge(host) for host in (server, client)]
    for host, job in zip((server, client), purging):
        job.wait(1200)
        nothing_is_left(host)
    if nfs_is_built:
        mount_in_tree(server, client)


def set_up(host, nfs_is_built):
    """Each verb that writes files and works on this machine. The modules are unloaded first, while they are installed."""
    # It takes the package's own folders away too, and says so.
    host.run("/usr/lib/rig/cleanup", timeout=120, check=False)
    host.fails("grep -q '^causeway' /proc/modules")
    host.run("nft -f - <<<'table inet filter { chain input { type filter hook input priority 0; policy drop; "
             "iifname \"lo\" accept; ip saddr 10.0.0.0/24 accept; }; }'")
    host.run("causeway firewall open --disks --nfs --from 10.0.0.0/24")
    host.run("causeway limits set 96M --for '*' && causeway limits set 96M --service causeway")
    host.run("causeway modules enable ib_umad && causeway roce mode rxe0 v2")
    host.run("causeway name set rxe0 rdma0 --rdma", check=False)
    if nfs_is_built:
        nfs.prepare(host)
        host.run("causeway nfs transport causeway")
    if nfs_is_built and host.name == "server":
        host.run("touch /var/lib/nfs/etab /var/lib/nfs/rmtab; pgrep -x rpc.mountd || rpc.mountd; pgrep -x nfsdcld || nfsdcld")
        host.run(f"mountpoint -q {HOME} || mount {host.disk('store')} {HOME}")
        host.run(f"rpc.nfsd 4 && causeway nfs serve {HOME} --to 10.0.0.0/24 -o fsid=0 && rpc.nfsd 0", timeout=120)
    host.run("nft flush ruleset")
    written = host.run("grep -rl '^# Written by \"causeway ' /etc").lines
    assert len(written) >= 6, written


def mount_in_tree(server, client):
    """As without Causeway, which was here: no alias of modprobe is in the way."""
    for host in (server, client):
        host.run("rmmod causeway_rpcrdma 2>/dev/null; modprobe rpcrdma && grep -q '^rpcrdma ' /proc/modules")
    server.run(f"rpc.nfsd 4 && echo 'rdma 20049' >/proc/fs/nfsd/portlist && exportfs -o rw,no_root_squash,fsid=0 10.0.0.0/24:{HOME}")
    client.run("mount -t nfs -o vers=4.2,proto=rdma,port=20049 10.0.0.1:/ /mnt/home && ls /mnt/home && umount /mnt/home", timeout=120)
    server.run("exportfs -ua; rpc.nfsd 0")


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
    return host.start("dpkg --purge causeway causeway-dkms")


def nothing_is_left(host):
    left = host.run("find / -xdev -name '*causeway*' -not -path '/proc/*' -not -path '/sys/*' -not -path '/tmp/*' "
                    "-not -path '/run/*' -not -path '/out/*'").lines
    assert not left, left
    left = host.run("grep -rl '^# Written by \"causeway ' /etc", check=False).lines
    assert not left, left
    host.fails("modprobe causeway_disk", "not found")
