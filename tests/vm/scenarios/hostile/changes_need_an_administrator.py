# SPDX-License-Identifier: GPL-2.0-or-later
"""The netlink socket itself requires CAP_SYS_ADMIN for every change. The kernel opens files and
devices with the caller's rights. Other users see no UUID, path or allow list."""
from machine.topology import Disk, pair

TIER = "check"
TOPOLOGY = pair(server={"disks": (Disk("store", "1G"),)})
LEAVES = ("attachment", "export", "file")

# The first is root with every capability but one, as a network daemon runs. The second is a user
# without rights.
NETWORK_DAEMON = "setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin"
NOBODY = "setpriv --reuid 65534 --regid 65534 --clear-groups"
# This service may change the server but cannot read the files of others.
SERVICE = f"{NOBODY} --inh-caps=+sys_admin,+net_admin --ambient-caps=+sys_admin,+net_admin"

DISK = "server=10.0.0.1 name=there"
RULE = "network=10.9.0.0/24"
# Each command would change something if root sent it.
SERVER = ("export-add name=new backend=3 size=4194304", "export-remove name=there force", "server-set instance=7",
          "server-stop", "export-evict name=there host=1", "export-readmit name=there host=1")
CLIENT = ("attach server=10.0.0.1 name=filed address=10.0.0.1 host=1", f"detach {DISK} force", f"acknowledge {DISK}",
          f"path-add {DISK} disk-path=10.1.0.1", f"path-remove {DISK} id=1",
          "discover address=10.0.0.1", f"nfs-rule-set {RULE} source=10.0.0.2", f"nfs-rule-remove {RULE}")
# Everyone may send these requests, but only an administrator gets these attributes.
HIDDEN = {"export-get": {"path", "identity", "allow", "ledger", "ledger-folder"},
          "export-get name=filed": {"path", "identity", "allow", "ledger", "ledger-folder"},
          "owner-get": {"host", "boot", "session"}, "server-get": {"instance"}, "session-get": {"host", "session"}, "attachment-get": {"identity", "host"}}
STATE = "causeway export list --json; causeway list --json | grep -v since; causeway nfs rule list; ls /sys/module | grep causeway"


def ask(host, rights, words):
    return host.run(f"{rights} causeway-netlink {words}", check=False)


def names(host, rights, words):
    result = ask(host, rights, words)
    assert result.rc == 0, f"{words}: {result.out}"
    return set(result.out.split())


def nothing_is_changed(rig):
    wrong = []
    for host, commands in ((rig.server, SERVER), (rig.client, CLIENT)):
        before = host.run(STATE, check=False).out
        for rights in (NETWORK_DAEMON, NOBODY):
            for words in commands:
                result = ask(host, rights, words)
                if result.rc != 1 or "Operation not permitted (1)" not in result.out:
                    wrong.append(f"{host.name}: {rights} causeway-netlink {words}: {result.out.strip()}")
        after = host.run(STATE, check=False).out
        if after != before:
            wrong.append(f"{host.name}: something changed\n{before}to\n{after}")
    assert not wrong, "\n".join(wrong)


def strangers_see_no_secret(rig):
    seen = set()
    for host in (rig.server, rig.client):
        for words, hidden in HIDDEN.items():
            if host is rig.client and words.startswith(("export-get name", "owner-get", "server-get")):
                continue
            for rights in (NOBODY, NETWORK_DAEMON):
                told = names(host, rights, words)
                assert not told & hidden, f"{host.name}: {words}: a stranger sees {sorted(told & hidden)}"
            told = names(host, "", words)
            seen |= {(words, name) for name in told & hidden}
    wanted = {(words, name) for words, hidden in HIDDEN.items() for name in hidden}
    assert seen == wanted, f"an administrator does not see {sorted(wanted - seen)}"
    # The command lists everything but the hidden attributes.
    for host, words in ((rig.server, "export list"), (rig.client, "list"), (rig.server, "net"), (rig.client, "stat")):
        assert "there" in host.run(f"{NOBODY} causeway {words}").out


def files_are_opened_as_the_caller(server):
    def add(path, backend, more=""):
        return ask(server, SERVICE, f"export-add name=mine backend={backend} path={path} {more}")

    def refused(path, backend, more=""):
        result = add(path, backend, more)
        assert result.rc == 1 and "Permission denied (13)" in result.out and path in result.out, result.out

    def done(path, backend, more=""):
        result = add(path, backend, more)
        assert result.rc == 0, result.out
        server.run("causeway-netlink export-remove name=mine")

    for path, backend in (("/srv/files/secret.img", 2), ("/dev/loop0", 1)):
        server.run(f"chown root:root {path} && chmod 600 {path}")
        refused(path, backend)
        refused(path, backend, "read-only")
        server.run(f"chmod 644 {path}")
        refused(path, backend)
        done(path, backend, "read-only")
        server.run(f"chown 65534 {path}")
        done(path, backend)
        server.run(f"chown root:root {path}")
    # The caller may not enter a folder on the way to the file.
    server.run("mkdir -m 700 /srv/files/closed && truncate -s 4M /srv/files/closed/open.img && chmod 666 /srv/files/closed/open.img")
    refused("/srv/files/closed/open.img", 2)


def scenario(rig):
    server, client = rig.server, rig.client
    server.run(f"mkfs.ext4 -qF {server.disk('store')} && mkdir -p /srv/files && mount {server.disk('store')} /srv/files && "
               "truncate -s 4M /srv/files/disk.img /srv/files/secret.img /srv/files/device.img && "
               "modprobe loop && losetup /dev/loop0 /srv/files/device.img")
    server.run("causeway export add there --ram 4M --allow any")
    server.run("causeway export add filed --file /srv/files/disk.img --allow 10.0.0.0/24")
    client.run("causeway attach 10.0.0.1/there")

    nothing_is_changed(rig)
    assert "causeway_rpcrdma" not in client.run("ls /sys/module").out, "a stranger made the kernel load a module"
    strangers_see_no_secret(rig)
    files_are_opened_as_the_caller(server)

    # The same commands take effect when root runs them.
    for words in CLIENT[3:] + (f"detach {DISK}",):
        result = ask(client, "", words)
        assert result.rc == 0, f"{words}: {result.out}"
    for words in ("export-remove name=there", "export-remove name=filed", "export-add name=new backend=3 size=4194304", "server-stop"):
        result = ask(server, "", words)
        assert result.rc == 0, f"{words}: {result.out}"
    server.run("losetup -d /dev/loop0 && umount /srv/files")
