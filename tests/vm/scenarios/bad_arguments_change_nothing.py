# SPDX-License-Identifier: GPL-2.0-or-later
"""A command with a bad argument says which and why, ends with the documented code, and changes nothing."""
import re

from rig.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "1G"),)})
TIER = "check"

# What is run at the server: the rest of the command line, its exit code, what it says.
SERVER = (
    ("export add new --device /dev/mapper/mounted", 75, "mounted is in use: it is mounted, part of another device"),
    ("export add new --device /dev/nothing", 69, "/dev/nothing cannot be used: No such file"),
    ("export add new --device /srv/files/disk.img", 69, "is not a block device\n.*--file /srv/files/disk.img"),
    ("export add new --file /dev/mapper/mounted", 69, "is not a regular file\n.*--device /dev/mapper/mounted"),
    ("export add new --file /tmp/on-tmpfs", 1, "/tmp/on-tmpfs: its file system .tmpfs. has no direct I/O; a file on ext4 or xfs can"),
    ("export add new --file /srv/files/disk.img", 75, "disk.img is in use: it is exported already"),
    ("export add new --file /srv/files/empty", 69, "empty is empty\n.*truncate -s"),
    ("export add new --file /srv/files/nothing", 69, "nothing cannot be used: No such file"),
    ("export add new --file /srv", 69, "/srv is not a regular file"),
    ("export add new --ram 0", 64, "--ram 0 is not a multiple of 4096 bytes\n.*--ram 4K"),
    ("export add new --ram 5000", 64, "--ram 5000 is not a multiple of 4096 bytes\n.*--ram 8K"),
    ("export add new --ram 1.5G", 64, "'1.5G' is not a size"),
    ("export add new --ram 10X", 64, "the unit 'X' is unknown"),
    ("export add new --ram 16E", 64, "--ram"),
    ("export add new --ram 64T", 1, "64T|memory"),
    ("export add new", 64, "it is not said what to export"),
    ("export add new --ram 4M --file /srv/files/disk.img", 64, "one backend, not several"),
    ("export add -new --ram 4M", 64, "-new"),
    ("export add n/w --ram 4M", 64, "'n/w' cannot name an export: '/' is not allowed in it"),
    ("export add '' --ram 4M", 64, "'' cannot name an export: it is empty"),
    (f"export add {'n' * 64} --ram 4M", 64, "longer than 63 characters"),
    ("export add new more --ram 4M", 64, "'more' is one argument too many"),
    ("export add there --ram 4M", 1, "there.*with other settings"),
    ("export add new --ram 4M --allow 10.0.0.0/33", 64, "prefix length .*33 is out of range"),
    ("export add new --ram 4M --allow 10.0.0.1/24", 64, "has bits set behind its prefix\n.*10.0.0.0/24"),
    ("export add new --ram 4M --allow anyone", 64, "--allow 'anyone' is not a network"),
    ("export add new --ram 4M --key-file /tmp/open", 78, "/tmp/open is open to others .mode 0644.\n.*chmod 600 /tmp/open"),
    ("export add new --ram 4M --key-file /tmp/none", 78, "/tmp/none cannot be read: No such file"),
    ("export add new --ram 4M --key-file /tmp/hollow", 78, "/tmp/hollow is empty"),
    ("export add new --ram 4M --key-file /tmp/long", 78, "/tmp/long is longer than 64 bytes"),
    ("export add new --ram 4M --uuid 5", 64, "--uuid '5' is not a UUID"),
    ("export add new --ram 4M --exclusiv", 64, "exclusiv.*\n.*--exclusive"),
    ("export ad new --ram 4M", 64, "the verb 'export ad' is unknown\n.*export add"),
    ("exprot add new --ram 4M", 64, "unknown\n.*export add"),
    ("frobnicate", 64, "the verb 'frobnicate' is unknown\n.*causeway help"),
    ("export", 64, "'export' needs to know what to do"),
    ("", 64, "causeway"),
    ("export remove", 64, "export remove needs NAME"),
    ("watch --until wonder", 64, "--until 'wonder' is no event"),
    ("watch --timeout 0", 64, "--timeout 0 is out of range"),
)
CLIENT = (
    ("attach 10.0.0.1", 64, "'10.0.0.1' does not name a disk of a server\n.*SERVER/NAME"),
    ("attach 10.0.0.1/there/there", 64, "does not name a disk of a server"),
    ("attach 10.0.0.1:0/there", 64, "port 0 is out of range"),
    ("attach '[fd00:0::1/there'", 64, "the bracket is not closed"),
    ("attach nowhere.invalid/there", 75, "the name of server 'nowhere.invalid' does not resolve"),
    ("attach 10.0.0.1/there --queues 0", 64, "--queues 0 is out of range"),
    ("attach 10.0.0.1/there --queues many", 64, "--queues 'many' is not a whole number"),
    ("attach 10.0.0.1/there --depth 70000", 64, "--depth 70000 is out of range"),
    ("attach 10.0.0.1/there --io-timeout -1", 64, "the option -1 is unknown"),
    ("attach 10.0.0.1/there --queues 1 --queues 2", 64, "--queues is given 2 times"),
    ("attach 10.0.0.1/there --key-file /tmp/open", 78, "is open to others"),
    ("attach 10.0.0.1:4799/there", 75, "cannot attach 10.0.0.1:4799/there"),
    ("detach", 64, "it is not said what to detach"),
    ("detach 10.0.0.1/there --all", 64, "--all stands for every disk"),
    ("acknowledge 10.0.0.1/there", 69, "10.0.0.1/there is not attached"),
)
# What nobody but root may do; both hosts refuse it before they change anything.
UNPRIVILEGED = (
    "export add new --ram 4M", "export remove there", "export add new --via iscsi --ram 4M", "attach 10.0.0.1/there",
    "soft remove rxe0", "limits set unlimited --for root", "modules enable nvme_rdma", "nfs transport causeway",
)
STATE = ("find /etc/causeway /dev/causeway ! -type d -printf '%M %p\\n' 2>/dev/null | sort; cat /etc/causeway/*.d/* 2>/dev/null; "
         "ls /etc/security/limits.d /etc/modules-load.d /sys/class/infiniband; "
         "causeway export list; causeway list; causeway net | grep -v FOR; ls /sys/block | grep causeway || true")


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"modprobe dm_mod; dmsetup create mounted --table '0 524288 linear {store} 1048576' && "
               "mkfs.ext4 -qF /dev/mapper/mounted && mkdir -p /srv/files && mount /dev/mapper/mounted /srv/files && "
               "truncate -s 16M /srv/files/disk.img /tmp/on-tmpfs && touch /srv/files/empty")
    for host in (server, client):
        host.run("cd /tmp && echo key >open && chmod 644 open && umask 077 && : >hollow && head -c 65 /dev/zero >long")
    server.run("causeway export add there --file /srv/files/disk.img")
    client.run("modprobe causeway_disk")
    wrong = []
    for host, table in ((server, SERVER), (client, CLIENT)):
        before = host.run(STATE).out
        for arguments, code, sentence in table:
            result = host.run(f"causeway {arguments}", check=False)
            if result.rc != code or not re.search(sentence, result.out):
                wrong.append(f"{host.name}: causeway {arguments}: exit code {result.rc}, not {code} with /{sentence}/\n{result.out}")
        for arguments in UNPRIVILEGED + (("stop",) if host is server else ()):
            result = host.run(f"setpriv --reuid 65534 --regid 65534 --clear-groups causeway {arguments}", check=False)
            if result.rc != 77 or "run the command as root" not in result.out:
                wrong.append(f"{host.name}: causeway {arguments} as nobody: exit code {result.rc}, not 77\n{result.out}")
        # A folder that takes no file.
        host.run("mount --bind /etc /etc && mount -o remount,bind,ro /etc")
        for arguments in ("export add new --ram 4M", "limits set unlimited --for root"):
            result = host.run(f"causeway {arguments}", check=False)
            if result.rc != 1 or not re.search("/etc/.*Read-only file system", result.out):
                wrong.append(f"{host.name}: causeway {arguments} where /etc is read-only: exit code {result.rc}, not 1\n{result.out}")
        host.run("umount /etc")
        # No room for the journal, without which nothing is changed that undo takes back.
        host.run("mkdir -p /var/lib/causeway && mount -t tmpfs -o size=4k tmpfs /var/lib/causeway && "
                 "head -c 4096 /dev/zero >/var/lib/causeway/filler")
        result = host.run("causeway limits set unlimited --for root", check=False)
        if result.rc != 1 or "No space left on device" not in result.out:
            wrong.append(f"{host.name}: no room for the journal: exit code {result.rc}, not 1\n{result.out}")
        host.run("umount /var/lib/causeway")
        after = host.run(STATE).out
        assert after == before, f"{host.name}: something changed\n{before}to\n{after}"
    assert not wrong, "\n".join(wrong)

    # A module that is not installed: says so, and what to do.
    client.run("causeway detach --all; modprobe -r causeway_disk")
    place = client.run("modinfo -n causeway_disk").out.strip()
    client.run(f"mv {place} /tmp/away && depmod")
    result = client.fails("causeway attach 10.0.0.1/there", "the kernel module causeway_disk cannot be loaded: .*\n.*make install")
    assert result.rc == 69, result.rc
    client.run(f"mv /tmp/away {place} && depmod")
    client.run("causeway attach 10.0.0.1/there && causeway detach 10.0.0.1/there")
    server.run("causeway stop && umount /srv/files && dmsetup remove mounted")
