# SPDX-License-Identifier: GPL-2.0-or-later
"""With the packages installed and the modules that DKMS built, a disk is attached and verified, and
NFS is mounted if the kernel has it. After verbs have set the machines up, a purge leaves nothing of
that: the kernel's own module carries NFS over RDMA, opensm runs as its own package configures it,
and the ports that were opened are closed."""

from using import causeway, nfs, nfs_home, simhca

# Verbs write units only on a host that runs systemd.
TOPOLOGY = nfs.topology(client={"init": "systemd", "memory": 1536})
DIRTY = True
DISK = "/dev/causeway/10.0.0.1/m"
HOME = nfs_home.HOME
HCA = "/usr/lib/rig/simhca.ko"      # exists if it was built for this kernel (tests/kernels/suite)
# Replaces firewalld for the queries of the command: files list the open ports, one for now and one
# for the permanent configuration.
FIREWALLD = """#!/bin/sh
place=/var/lib/firewall-cmd.now
for word; do
    case $word in
    --state) echo running; exit ;;
    --permanent) place=/var/lib/firewall-cmd.permanent ;;
    --query-*) if grep -qxFe "${word#--query-}" $place; then echo yes; else echo no; exit 1; fi ;;
    --add-*) echo "${word#--add-}" >>$place ;;
    --remove-*) grep -vxFe "${word#--remove-}" $place >$place.new; mv $place.new $place ;;
    esac
done
"""


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
        # The cleanup also removes the package's own folders, and reports that. It unloads the modules while they are installed.
        host.run("/usr/lib/rig/cleanup", timeout=120, check=False)
        host.fails("grep -q '^causeway' /proc/modules")
        set_up(host)
    set_up_disks(server, client)
    if nfs_is_built:
        set_up_nfs(server, client)
    set_up_firewalld(server)
    has_hca = set_up_hca(client)
    set_up_soft(client)
    for host in (server, client):
        written = host.run("grep -rl '^# Written by \"causeway ' /etc").lines
        host.rig.log(f"{host.name}: {' '.join(written)}")
        assert len(written) >= 5, written
    # depmod reads all modules of the kernel, which takes long here, so both hosts purge at the same
    # time.
    purging = [purge(host) for host in (server, client)]
    for host, job in zip((server, client), purging):
        job.wait(1200)
        nothing_is_left(host)
    only_what_others_opened_is_open(server)
    no_unit_is_left(client)
    if has_hca:
        opensm_as_its_package_has_it(client)
    if nfs_is_built:
        mount_in_tree(server, client)


def set_up(host):
    host.run("nft -f - <<<'table inet filter { chain input { type filter hook input priority 0; policy drop; "
             "iifname \"lo\" accept; ip saddr 10.0.0.0/24 accept; }; }'")
    host.run("causeway firewall open --disks --nfs --from 10.0.0.0/24 --backend nftables")
    assert "causeway:" in host.run("nft list ruleset").out
    host.run("causeway limits set 96M --for '*' && causeway limits set 96M --service causeway")
    host.run("causeway modules enable ib_umad")


def set_up_disks(server, client):
    """Leave the configuration of exports and disks, and no module that is in use."""
    server.run("causeway export add m --ram 16M --allow any")
    client.run("causeway attach 10.0.0.1/m")
    client.run("causeway stop --all --force", timeout=120)
    server.run("causeway stop --force", timeout=120)
    for host in (server, client):
        host.run("for module in causeway_disk causeway_target causeway; do "
                 "[ ! -d /sys/module/$module ] || modprobe -r $module || exit; done", timeout=120)
    assert server.run("ls /etc/causeway").lines and client.run("ls /etc/causeway").lines


def set_up_nfs(server, client):
    for host in (server, client):
        nfs.prepare(host)
        host.run("causeway nfs transport causeway")
    server.run("touch /var/lib/nfs/etab /var/lib/nfs/rmtab; pgrep -x rpc.mountd || rpc.mountd; pgrep -x nfsdcld || nfsdcld")
    server.run(f"mountpoint -q {HOME} || mount {server.disk('store')} {HOME}")
    server.run("rpc.nfsd 4")
    server.run(f"causeway nfs serve {HOME} --to 10.0.0.0/24 -o no_root_squash,fsid=0", timeout=120)
    client.run("mkdir -p /mnt/kept && causeway nfs mount server:/ /mnt/kept --require rdma", timeout=120)
    client.run("causeway nfs rule add 10.9.0.0/24 --from 10.0.0.2")
    client.run("systemctl stop mnt-kept.mount", timeout=120)
    server.run("rpc.nfsd 0")
    for host in (server, client):
        # The transport is the last user of the core. A purge unloads neither.
        for module in ("causeway_rpcrdma", "causeway"):
            host.wait_for(f"[ ! -d /sys/module/{module} ] || rmmod {module}", timeout=60)


def set_up_firewalld(host):
    host.write("/usr/bin/firewall-cmd", FIREWALLD)
    host.run("chmod +x /usr/bin/firewall-cmd; touch /var/lib/firewall-cmd.now /var/lib/firewall-cmd.permanent")
    host.run("firewall-cmd --permanent --add-port=2049/tcp; firewall-cmd --add-port=2049/tcp")
    host.run("causeway firewall open --disks --nfs --from any --backend firewalld")
    host.run("causeway firewall open --disks --from 10.0.0.0/24 --backend firewalld")
    assert len(host.run("cat /var/lib/firewall-cmd.permanent").lines) == 3


def set_up_hca(host):
    """Set up InfiniBand on a simulated HCA; return whether this kernel has one."""
    if host.run(f"[ -e {HCA} ]", check=False).rc:
        host.rig.say("     no simulated HCA is built for this kernel: opensm is left out")
        return False
    host.run(f"modprobe -a rdmavt ib_umad ib_uverbs rdma_ucm && insmod {HCA}")
    host.run("causeway sm enable --priority 3", timeout=180)
    simhca.wait_state(host, "ACTIVE", timeout=120)
    host.run("causeway sm partition add 0x8002 --name storage && causeway port enable simhca0/2", timeout=120)
    assert "/causeway-0x" in host.run(OPENSM).out
    return True


# The command line of each opensm.
OPENSM = "for pid in $(pidof opensm); do tr '\\0' ' ' </proc/$pid/cmdline; echo; done"


def set_up_soft(host):
    """Set up a device by our unit in place of the rig's own device."""
    host.run("rdma link delete rxe0 && causeway soft add rxe eth0 --name rxe0 && causeway roce mode rxe0 v2", timeout=120)
    host.run("systemctl is-enabled causeway-soft@eth0.service")


def only_what_others_opened_is_open(host):
    for place in ("now", "permanent"):
        assert host.read(f"/var/lib/firewall-cmd.{place}") == "port=2049/tcp\n"


def no_unit_is_left(host):
    host.run("systemctl daemon-reload")
    for what in ("list-unit-files", "list-units --all"):
        # systemctl ends with 1 if there is no such unit.
        left = host.run(f"systemctl --no-legend --plain {what} '*causeway*'", check=False).lines
        assert not left, left
    assert "mnt-kept" not in host.run("systemctl list-unit-files --no-legend").out


def opensm_as_its_package_has_it(host):
    host.run("systemctl stop opensm.service 'opensm@*.service' && [ -z \"$(pidof opensm)\" ]", timeout=120)
    host.run("systemctl start opensm.service", timeout=120)
    host.wait_for("[ -n \"$(pidof opensm)\" ]")
    started = host.run(OPENSM).lines
    assert started and not any("causeway" in line or "--config" in line for line in started), started
    simhca.wait_state(host, "ACTIVE", timeout=120)
    host.rig.log(f"opensm: {started}")
    assert not host.run("systemctl list-units --failed --plain --no-legend 'opensm*'").lines
    host.run("systemctl stop opensm.service 'opensm@*.service'; rmmod simhca", timeout=120)


def mount_in_tree(server, client):
    """Mount with the kernel's own transport: no alias of modprobe that Causeway wrote prevents
    it."""
    for host in (server, client):
        host.run("modprobe rpcrdma && grep -q '^rpcrdma ' /proc/modules && ! grep -q '^causeway' /proc/modules")
    server.run(f"rpc.nfsd 4 && echo 'rdma 20049' >/proc/fs/nfsd/portlist && exportfs -o rw,no_root_squash,fsid=0 10.0.0.0/24:{HOME}")
    client.run("mkdir -p /mnt/home && mount -t nfs -o vers=4.2,proto=rdma,port=20049 10.0.0.1:/ /mnt/home", timeout=120)
    assert "proto=rdma" in client.run("grep ' /mnt/home ' /proc/mounts").out
    client.run("dd if=/dev/urandom of=/tmp/in-tree bs=100001 count=20 && cp /tmp/in-tree /mnt/home && sync -f /mnt/home && "
               "echo 3 >/proc/sys/vm/drop_caches && cmp /tmp/in-tree /mnt/home/in-tree && umount /mnt/home", timeout=120)
    assert server.run(f"sha256sum <{HOME}/in-tree").out == client.run("sha256sum </tmp/in-tree").out
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
    carriers = [each["carrier"] for each in causeway.nfs_connections(client)]
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
    left = host.run("grep -rl '^# Written by \"causeway ' /etc; find /etc/systemd -xtype l; grep -rl causeway_ /etc/modprobe.d "
                    "/usr/lib/modprobe.d /etc/modules-load.d /etc/security/limits.d /etc/udev/rules.d", check=False).lines
    assert not left, left
    rules = host.run("nft list ruleset").out
    assert "causeway" not in rules and "policy drop" in rules, rules
    assert "causeway" not in host.run("cat /proc/mounts").out
    assert not host.run(f"exportfs | grep {HOME}", check=False).lines
    host.fails("modprobe causeway_disk", "not found")
