# SPDX-License-Identifier: GPL-2.0-or-later
"""A command with a bad argument names the argument and the reason, ends with the documented code, and changes nothing."""
import re

from machine.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "1G"),)})
TIER = "check"
LEAVES = ("export", "file")
KEY_RULE = ("a key has 16 to 64 bytes that are not all zero; make one with: "
            "(umask 077; head -c 32 /dev/urandom | base64 > FILE)")

SIZES = "give bytes, or a number with K, M, G, T or P, which are powers of 1024, such as 4096, 512M or 1G"
NETWORKS = "give an address or a network, such as 10.0.0.5, 10.0.0.0/24 or fd00::/64"
NAMES = "use 1 to 63 letters, digits, '.', '_' and '-', the first a letter or a digit"
HOLDERS = ("see what holds it: lsblk, findmnt, cat /proc/mdstat, causeway export list; "
           "what is exported must not be in use here")
HELP = "see: causeway {} --help"
SERVERS = "give SERVER or SERVER:PORT, such as storage1, 10.0.0.1:4793 or [fd00::1]:4793"
DISKS = "give SERVER/NAME with one slash, such as storage1/scratch"
EVENTS = ("events are: export-added export-removed export-resized attached detached up down attempt-failed loss another-disk login "
          "logout login-refused resized malformed nfs-up nfs-down nfs-attempt-failed revoked evicted readmitted path-up path-down "
          "fallback return export-changed")

# Each row: the rest of the command line, its exit code, the error with its reason, and the fix. The two texts are the whole
# output of the command. A * stands for a number that depends on the machine.
SERVER = (
    ("export add new --device /dev/mapper/mounted --allow any", 75,
     "cannot export 'new': /dev/mapper/mounted is in use: /dev/dm-* is mounted at /srv/files", HOLDERS),
    ("export add new --device /dev/mapper/mounted --dry-run --allow any", 75,
     "cannot export 'new': /dev/mapper/mounted is in use: /dev/dm-* is mounted at /srv/files", HOLDERS),
    ("export add new --device /dev/nothing --allow any", 69,
     "the device /dev/nothing cannot be used: No such file or directory", "see which devices there are: lsblk --paths"),
    ("export add new --device /srv/files/disk.img --allow any", 69,
     "the device /srv/files/disk.img is not a block device", "give --file /srv/files/disk.img"),
    ("export add new --file /dev/mapper/mounted --allow any", 69,
     "the file /dev/mapper/mounted is not a regular file", "give --device /dev/mapper/mounted"),
    ("export add new --file /tmp/on-tmpfs --allow any", 1,
     "cannot export 'new': /tmp/on-tmpfs: its file system (tmpfs) has no direct I/O; a file on ext4 or xfs can be exported", ""),
    ("export add new --file /srv/files/disk.img --allow any", 75,
     "cannot export 'new': /srv/files/disk.img is in use: the export 'there' has /srv/files/disk.img", HOLDERS),
    ("export add new --file /srv/files/disk.img --allow any --dry-run", 75,
     "cannot export 'new': /srv/files/disk.img is in use: the export 'there' has /srv/files/disk.img", HOLDERS),
    ("export add new --device /dev/mapper/mounted --via nvme --allow any", 75,
     "cannot export 'new': /dev/mapper/mounted is in use: /dev/dm-* is mounted at /srv/files", HOLDERS),
    ("export add new --file /srv/files/disk.img --via iser --allow any --dry-run", 75,
     "cannot export 'new': /srv/files/disk.img is in use: the export 'there' has /srv/files/disk.img", HOLDERS),
    ("export add new --file /srv/files/empty --allow any", 69,
     "the file /srv/files/empty is empty", "give it a size, such as: truncate -s 10G /srv/files/empty"),
    ("export add new --file /srv/files/nothing --allow any", 69,
     "the file /srv/files/nothing cannot be used: No such file or directory",
     "make it first, such as: truncate -s 10G /srv/files/nothing"),
    ("export add new --file /srv --allow any", 69,
     "the file /srv is not a regular file", "make one and give that, such as: truncate -s 10G FILE"),
    ("export add new --ram 0 --allow any", 64, "--ram 0 is not a multiple of 4096 bytes", "give --ram 4K"),
    ("export add new --ram 5000 --allow any", 64, "--ram 5000 is not a multiple of 4096 bytes", "give --ram 8K"),
    ("export add new --ram 1.5G --allow any", 64,
     "--ram '1.5G' is not a size: it must be a whole number, such as 1536M for one and a half G", SIZES),
    ("export add new --ram 10X --allow any", 64, "--ram '10X' is not a size: the unit 'X' is unknown", SIZES),
    ("export add new --ram 16E --allow any", 64, "--ram '16E' is not a size: the unit 'E' is unknown", SIZES),
    ("export add new --ram 16384P --allow any", 64, "--ram '16384P' is not a size: it does not fit into 64 bits", "give less than 16384P"),
    ("export add new --ram 64T --allow any", 1,
     "cannot export 'new': 67108864 MiB of memory are not there: * MiB are available, and a sixteenth of that stays free",
     "export less memory, or free some: \"free -h\" shows how much is available"),
    ("export add new --allow any", 64, "no device, file or memory is given to export", "give one of --device DEVICE, --file FILE and --ram SIZE"),
    ("export add new --ram 4M --file /srv/files/disk.img --allow any", 64,
     "an export has one backend, not several", "give one of --device DEVICE, --file FILE and --ram SIZE"),
    ("export add -new --ram 4M --allow any", 64, "the option -new is unknown here", HELP.format("export add")),
    ("export add n/w --ram 4M --allow any", 64, "'n/w' cannot name an export: '/' is not allowed in it", NAMES),
    ("export add '' --ram 4M --allow any", 64, "'' cannot name an export: it is empty", NAMES),
    (f"export add {'n' * 64} --ram 4M --allow any", 64, f"'{'n' * 64}' cannot name an export: it is longer than 63 characters", NAMES),
    ("export add new more --ram 4M --allow any", 64, "'more' is one argument too many for causeway export add", HELP.format("export add")),
    ("export add there --ram 4M --allow any", 1,
     "the export 'there' is there with other settings: the backend is file, not ram",
     "causeway export remove there, then add it with --uuid * (clients that do not detach before need remove --force, and their I/O "
     "waits until the disk is back)"),
    ("export add new --ram 4M --allow 10.0.0.0/33", 64,
     "prefix length of --allow '10.0.0.0/33': 33 is out of range", "give a number from 0 to 32"),
    ("export add new --ram 4M --allow 10.0.0.1/24", 64,
     "--allow '10.0.0.1/24' has bits set behind its prefix", "give 10.0.0.0/24 for the network or 10.0.0.1/32 for the one address"),
    ("export add new --ram 4M --allow anyone", 64, "--allow 'anyone' is not a network", f"{NETWORKS}; or any, for every host"),
    ("export add new --ram 4M", 64, "no option names the hosts that may attach the disk",
     "give --allow CIDR, or --key-file FILE, or --allow any for every host that reaches this one"),
    ("export add new --ram 4M --key-file /tmp/open", 78,
     "key file /tmp/open is open to others (mode 0644)", "chmod 600 /tmp/open"),
    ("export add new --ram 4M --key-file /tmp/none", 78,
     "key file /tmp/none cannot be read: No such file or directory",
     "make one with: (umask 077; head -c 32 /dev/urandom | base64 > /tmp/none)"),
    ("export add new --ram 4M --key-file /tmp/hollow", 78, "key file /tmp/hollow is empty", KEY_RULE),
    ("export add new --ram 4M --key-file /tmp/short", 78, "key file /tmp/short has 15 bytes, too few to protect anything",
     KEY_RULE),
    ("export add new --ram 4M --key-file /tmp/zero", 78, "key file /tmp/zero has only zero bytes", KEY_RULE),
    ("export add new --ram 4M --key-file /tmp/long", 78, "key file /tmp/long is longer than 64 bytes", KEY_RULE),
    ("export add new --ram 4M --uuid 5 --allow any", 64,
     "--uuid '5' is not a UUID", "leave it out for a random one, or make one with uuidgen"),
    ("export add new --ram 4M --takeover-after 5 --allow any", 64,
     "--takeover-after goes with an exclusive export only: on a shared export no host waits for another one",
     "add --exclusive, or leave it out"),
    ("export add new --ram 4M --forget-owners --allow any", 64,
     "--forget-owners goes with a disk that may be written and that lasts: a memory export keeps no ledger of owners in files",
     "leave it out"),
    ("export evict there", 64, "no host is given",
     "give --host UUID, --host ADDRESS or --host NAME; causeway export list shows the hosts"),
    ("export evict nowhere --host node7", 69, "there is no export 'nowhere'", "see: causeway export list"),
    ("export readmit there --host 00000000-0000-0000-0000-000000000000", 64, "a UUID of zeroes names no host",
     "causeway export list shows the hosts"),
    ("export add new --ram 4M --exclusiv --allow any", 64, "the option --exclusiv is unknown here", "did you mean --exclusive?"),
    ("export ad new --ram 4M", 64, "the verb 'export ad' is unknown", "did you mean: causeway export add"),
    ("exprot add new --ram 4M", 64, "the verb 'exprot add' is unknown", "did you mean: causeway export add"),
    ("frobnicate", 64, "the verb 'frobnicate' is unknown", "see: causeway help"),
    ("export", 64, "'export' needs to know what to do", "give export and then add or remove or evict or readmit or list or set"),
    ("export remove", 64, "causeway export remove needs NAME", HELP.format("export remove")),
    ("watch --until wonder", 64, "--until 'wonder' is no event", EVENTS),
    ("watch --timeout 0", 64, "--timeout 0 is out of range", "give a number from 1 to 1000000"),
)
CLIENT = (
    ("attach 10.0.0.1", 64, "'10.0.0.1' does not name a disk of a server", DISKS),
    ("attach 10.0.0.1/there/there", 64, "'10.0.0.1/there/there' does not name a disk of a server", DISKS),
    ("attach 10.0.0.1:0/there", 64, "port 0 is out of range", "give a number from 1 to 65535"),
    ("attach '[fd00:0::1/there'", 64, "'[fd00:0::1' does not name a server: the bracket is not closed", SERVERS),
    ("attach nowhere.invalid/there", 75,
     "the name of server 'nowhere.invalid' does not resolve: Temporary failure in name resolution",
     "check it with: getent ahosts nowhere.invalid"),
    ("attach 10.0.0.1/there --transport udp", 64, "--transport cannot be 'udp'", "give rdma, tcp or rdma,tcp"),
    ("attach 10.0.0.1:65535/there --transport tcp", 64,
     "10.0.0.1:65535 has no port for TCP: it is the one after the port of RDMA", "use another port for the server"),
    ("attach 10.0.0.1/there --queues 0", 64, "--queues 0 is out of range", "give a number from 1 to 256"),
    ("attach 10.0.0.1/there --queues many", 64, "--queues 'many' is not a whole number", "give a number from 1 to 256"),
    ("attach 10.0.0.1/there --depth 70000", 64, "--depth 70000 is out of range", "give a number from 1 to 1024"),
    ("attach 10.0.0.1/there --io-timeout -1", 64,
     "the option --io-timeout needs a value, and -1 starts like an option", "write --io-timeout SECONDS"),
    ("attach 10.0.0.1/there --queues 1 --queues 2", 64, "the option --queues is given 2 times", "give it once"),
    ("attach 10.0.0.1/there --key-file /tmp/open", 78,
     "key file /tmp/open is open to others (mode 0644)", "chmod 600 /tmp/open"),
    ("attach 10.0.0.1:4799/there", 75,
     "cannot attach 10.0.0.1:4799/there at 10.0.0.1:4799: the peer rejected the connection (*)",
     "on the server, see whether it exports anything, and over TCP whether it does so with --tcp: causeway export list"),
    ("attach 10.0.0.1/there --path 10.0.0.1:4793", 64, "--path '10.0.0.1:4793' is neither an IP address nor a name",
     "give an address of the server without a port, such as 10.1.0.1, fd01::1 or storage1-b; the port is the one of SERVER"),
    ("attach 10.0.0.1/there --path 10.0.0.1,10.0.0.1", 64, "the path 10.0.0.1 is given twice", "give each path once"),
    ("attach 10.0.0.1/there --path 10.0.0.1,10.1.0.1 --from 10.0.0.2", 64,
     "--from has 1 address and --path 2: each address of this machine belongs to one of the server",
     "give as many of --path, in the same order, or leave --from out"),
    ("attach 10.0.0.1/there --path 10.0.0.1 --from fd00::2", 64,
     "the path 10.0.0.1 from fd00::2 has an IPv4 address at one end and an IPv6 address at the other", "give two addresses of one family"),
    ("path list 10.0.0.1/there", 69, "10.0.0.1/there is not attached", "see what is: causeway list"),
    ("path add 10.0.0.1/there --path 10.1.0.1", 69, "10.0.0.1/there is not attached", "see what is: causeway list"),
    ("path remove 10.0.0.1/there 1", 69, "10.0.0.1/there is not attached", "see what is: causeway list"),
    ("detach", 64, "no disk is given", "give SERVER/NAME or --all"),
    ("detach 10.0.0.1/there --all", 64, "--all stands for every disk, and one is named too", "give SERVER/NAME or --all"),
    ("acknowledge 10.0.0.1/there", 69, "10.0.0.1/there is not attached", "see what is: causeway list"),
)
HOST = "11111111-2222-3333-4444-555555555555"
# Only root may run these; both hosts refuse them before they change anything. Every user may read which hosts an
# export has, so a command that names a host by its address first reports that no host has the address.
UNPRIVILEGED = (
    "export add new --ram 4M --allow any", "export remove there", f"export evict there --host {HOST}",
    f"export readmit there --host {HOST}", "export add new --via iscsi --ram 4M --allow any", "attach 10.0.0.1/there",
    "soft remove rxe0", "limits set unlimited --for root", "modules enable nvme_rdma", "nfs transport causeway",
)
STATE = ("find /etc/causeway /dev/causeway ! -type d -printf '%M %p\\n' 2>/dev/null | sort; cat /etc/causeway/*.d/* 2>/dev/null; "
         "ls /etc/security/limits.d /etc/modules-load.d /sys/class/infiniband; "
         "causeway export list; causeway list; causeway net | grep -v FOR; ls /sys/block | grep causeway || true")


def sentences(what, right):
    """Return the output of the command for an error, as a regular expression."""
    return re.escape(f"causeway: {what}\n" + (f"  {right}\n" if right else "")).replace(r"\*", ".*")


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"modprobe dm_mod; dmsetup create mounted --table '0 524288 linear {store} 1048576' && "
               "mkfs.ext4 -qF /dev/mapper/mounted && mkdir -p /srv/files && mount /dev/mapper/mounted /srv/files && "
               "truncate -s 16M /srv/files/disk.img /tmp/on-tmpfs && touch /srv/files/empty")
    for host in (server, client):
        host.run("cd /tmp && echo key >open && chmod 644 open && umask 077 && : >hollow && head -c 65 /dev/zero >long && head -c 16 /dev/zero >zero && echo fifteen bytes.. >short")
    server.run("causeway export add there --file /srv/files/disk.img --allow any")
    client.run("modprobe causeway_disk")
    wrong = []
    for host, table in ((server, SERVER), (client, CLIENT)):
        before = host.run(STATE).out
        for arguments, code, what, right in table:
            result = host.run(f"causeway {arguments}", check=False)
            said = sentences(what, right)
            if result.rc != code or not re.fullmatch(said, result.out):
                wrong.append(f"{host.name}: causeway {arguments}: exit code {result.rc}, not {code} with /{said}/\n{result.out}")
        # Without a verb, the command prints all verbs and then the same two sentences.
        result = host.run("causeway", check=False)
        said = re.escape(host.run("causeway help").out + "\n") + sentences("no verb is given", "give one of those that causeway help shows")
        if result.rc != 64 or not re.fullmatch(said, result.out):
            wrong.append(f"{host.name}: causeway: exit code {result.rc}, not 64 with /{said}/\n{result.out}")
        for arguments in UNPRIVILEGED + (("stop --force",) if host is server else ()):
            result = host.run(f"setpriv --reuid 65534 --regid 65534 --clear-groups causeway {arguments}", check=False)
            if result.rc != 77 or "run the command as root" not in result.out:
                wrong.append(f"{host.name}: causeway {arguments} as nobody: exit code {result.rc}, not 77\n{result.out}")
        # No file can be made in this folder.
        host.run("mount --bind /etc /etc && mount -o remount,bind,ro /etc")
        for arguments in ("export add new --ram 4M --allow any", "limits set unlimited --for root"):
            result = host.run(f"causeway {arguments}", check=False)
            if result.rc != 1 or not re.search("/etc/.*Read-only file system", result.out):
                wrong.append(f"{host.name}: causeway {arguments} where /etc is read-only: exit code {result.rc}, not 1\n{result.out}")
        host.run("umount /etc")
        # There is no room for the journal, without which the command makes no change that undo
        # could take back.
        host.run("mkdir -p /var/lib/causeway && mount -t tmpfs -o size=4k tmpfs /var/lib/causeway && "
                 "head -c 4096 /dev/zero >/var/lib/causeway/filler")
        result = host.run("causeway limits set unlimited --for root", check=False)
        if result.rc != 1 or "No space left on device" not in result.out:
            wrong.append(f"{host.name}: no room for the journal: exit code {result.rc}, not 1\n{result.out}")
        host.run("umount /var/lib/causeway")
        after = host.run(STATE).out
        assert after == before, f"{host.name}: something changed\n{before}to\n{after}"
    assert not wrong, "\n".join(wrong)

    # The command reports that a module is not installed, and how to install it.
    client.run("causeway detach --all; modprobe -r causeway_disk")
    place = client.run("modinfo -n causeway_disk").out.strip()
    client.run(f"mv {place} /tmp/away && depmod")
    result = client.fails("causeway attach 10.0.0.1/there", "the kernel module causeway_disk cannot be loaded: .*\n.*make install")
    assert result.rc == 69, result.rc
    client.run(f"mv /tmp/away {place} && depmod")
    client.run("causeway attach 10.0.0.1/there && causeway detach 10.0.0.1/there")
    server.run("causeway stop --force && umount /srv/files && dmsetup remove mounted")
