# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings of an export and of an attached disk change while verified I/O runs, and no session is lost. A change that would shut a
connected client out is refused, and with --force ends the session of that client: its I/O waits until it is admitted again. A disk
that is made read-only refuses writes, keeps its owners over a restart of the server, even if it is write-protected then, and takes
writes again. A new key is needed by the next login. A timeout that is set while the disk has no path counts from the loss. "reload"
applies edited files."""
from machine.topology import Disk
from using import causeway, paths, verified

TIER = "ci"
KERNELS = ("lockdep",)
LONG_KERNELS = ("stock", "kasan")
TOPOLOGY = paths.topology(server={"disks": (Disk("store", "64M"),)})
LEAVES = ("attachment", "export")
NAME = "10.0.0.1/s"
DISK = f"/dev/causeway/{NAME}"
OTHERS = "10.9.0.0/16"
CLIENTS = "10.0.0.0/24 10.1.0.0/24"
WRITE = f"dd if=/dev/zero of={DISK} bs=4k seek=8 count=1 oflag=direct conv=notrunc status=none"
READ = f"dd if={DISK} of=/dev/null bs=4k seek=8 count=1 iflag=direct status=none"
TIMEOUT = 6     # seconds
LATE = 20       # no error of a timeout takes longer, on the slowest kernel
KEY = "/etc/causeway/key"
BOTH = "path-up 10.0.0.1/s: path [01] is live"     # the second path to come back joins the first one


def set_export(server, options, **how):
    return causeway.answer(server, f"export set s {options}", **how)


def session(client):
    """Return what shows that a session was lost."""
    connection = causeway.connection(client)
    return connection["state"], connection["reconnects"], connection["failovers"]


def settings(server):
    """The file of the export, and what the kernel has of it. The owner's address changes with the order of its two logins."""
    export, = causeway.exports(server)
    return server.read("/etc/causeway/exports.d/s.conf"), {key: value for key, value in export.items() if key != "owners"}


def refused(server, client):
    """The client is connected: without --force it stays, and all settings too."""
    before = settings(server)
    server.fails(f"causeway export set s --read-only --allow {OTHERS}", "in use by 2 connections that the new settings do not admit "
                 r"\(client at 10.[01].0.2, client at 10.[01].0.2\); to end them, repeat the command with --force")
    assert settings(server) == before
    client.run(WRITE)


def shut_out_and_admitted(server, client, events):
    told = set_export(server, f"--allow {OTHERS} --force")
    assert told["ended"] == 2, told
    events.wait_for("attempt-failed 10.0.0.1/s: .*is not open to 10.[01].0.2", timeout=60)
    writer = client.start(WRITE)
    set_export(server, f"--allow {CLIENTS}")
    writer.wait(timeout=60)
    events.wait_for(BOTH, timeout=60)


def read_only(server, client):
    """The notice of a geometry is behind the answer of the verb."""
    set_export(server, "--read-only")
    client.wait_for(f"test $(blockdev --getro {DISK}) = 1")
    client.fails(WRITE, "Read-only|not permitted")
    client.run(READ)
    server.fails(f"causeway export set s --read-write --allow {OTHERS}", "in use by 2 connections")
    client.fails(WRITE, "Read-only|not permitted")
    owners = [owner["host"] for owner in causeway.exports(server)[0]["owners"]]
    for protect in ("--setro", "--setrw"):
        server.run(f"causeway stop --force && blockdev {protect} {server.disk('store')} && causeway restore")
        client.wait_for("causeway --json net | grep -q '\"state\": *\"live\"'")
        export, = causeway.exports(server)
        assert export["read_only"] and export["ledger"] and [owner["host"] for owner in export["owners"]] == owners != [], export
        client.run(READ)
        client.fails(WRITE, "Read-only|not permitted")
        if protect == "--setro":
            server.fails("causeway export set s --read-write", "could not be written when the export \"s\" started")
    set_export(server, "--read-write")
    client.wait_for(f"test $(blockdev --getro {DISK}) = 0")
    client.run(WRITE)


def new_key(server, client, events):
    """The session that is live goes on. The next login needs the key."""
    for host in (server, client):
        host.run(f"umask 77 && echo 'a key that both machines have' >{KEY}")
    before = session(client)
    set_export(server, f"--key-file {KEY}")
    client.run(WRITE)
    assert session(client) == before
    set_export(server, f"--allow {OTHERS} --force")
    set_export(server, f"--allow {CLIENTS}")
    events.wait_for("attempt-failed 10.0.0.1/s: .*needs a key", timeout=60)
    client.run(f"causeway attach set {NAME} --key-file {KEY}")
    events.wait_for(BOTH, timeout=60)
    client.run(WRITE)
    assert "key-file = " in client.read("/etc/causeway/attachments.d/10.0.0.1:s.conf")


def timeouts(server, client, events):
    """The disk waits for ever by default, so the write waits until the timeout is set. The server ends the first connection before
    the test reads the clock, so the time until the first error has no lower bound. The test reads the clock before the server ends
    the second one, so the second time has both bounds."""
    set_export(server, f"--allow {OTHERS} --force")
    causeway.wait_lost(client)
    writer = client.start(WRITE)
    lost = client.uptime()
    client.run(f"causeway attach set {NAME} --io-timeout {TIMEOUT}")
    assert "Input/output error" in writer.wait(check=False, timeout=60).out
    assert client.uptime() - lost < TIMEOUT + LATE
    set_export(server, f"--allow {CLIENTS}")
    events.wait_for(BOTH, timeout=60)
    client.run(WRITE)
    before = client.uptime()
    set_export(server, f"--allow {OTHERS} --force")
    causeway.wait_lost(client)
    client.fails(WRITE, "Input/output error")
    waited = client.uptime() - before
    assert TIMEOUT <= waited < TIMEOUT + LATE, waited
    client.run(f"causeway attach set {NAME} --io-timeout 0")
    set_export(server, f"--allow {CLIENTS}")
    events.wait_for(BOTH, timeout=60)
    client.run(WRITE)


def policy(client):
    for word in ("single", "round-robin", "auto"):
        client.run(f"causeway attach set {NAME} --policy {word}")
        shown = causeway.answer(client, f"path list {NAME}")["paths"]
        assert [path["policy"] for path in shown] == [word, word], shown
        assert [path["carries_io"] for path in shown] == [True, word != "single"], shown


def edited_files(server, client):
    """The export has a key, so "reload" counts the export as changed in any case. A limit tells whether "reload" changed it."""
    limit = "/sys/module/causeway/parameters/max_waiting"
    server.run("sed -i 's,^allow = 10.1.0.0/24,allow = 10.1.0.0/25,' /etc/causeway/exports.d/s.conf && causeway server set --max-waiting 80 "
               f"&& echo 81 >{limit}")
    assert sorted(causeway.exports(server)[0]["allow"]) == CLIENTS.split()
    assert causeway.answer(server, "reload")["restored"] == ["server", "s"]
    assert sorted(causeway.exports(server)[0]["allow"]) == ["10.0.0.0/24", "10.1.0.0/25"]
    assert server.read(limit).strip() == "80"
    server.run("causeway server unset && causeway reload")
    assert server.read(limit).strip() == "64"
    client.run("sed -i 's,^policy = .*,policy = single,' /etc/causeway/attachments.d/10.0.0.1:s.conf && causeway reload")
    assert causeway.attachment(client)["policy"] == "single"


def scenario(rig):
    server, client = rig.server, rig.client
    server.run(f"causeway export add s --device {server.disk('store')} --allow {CLIENTS}")
    identity = causeway.exports(server)[0]["identity"]
    events = causeway.watch(client)
    paths.attach(client, "s", events)

    fio = verified.start(client, DISK, "--rw=randrw --bs=4k --iodepth=8 --offset=16M --size=16M --time_based --runtime=1h")
    before = session(client)
    set_export(server, f"--allow {CLIENTS} 10.8.0.0/16")
    refused(server, client)
    policy(client)
    assert session(client) == before
    shut_out_and_admitted(server, client, events)
    paths.passes(fio)

    read_only(server, client)
    new_key(server, client, events)
    timeouts(server, client, events)
    edited_files(server, client)
    assert causeway.exports(server)[0]["identity"] == identity
    client.run(f"causeway detach {NAME}")
    server.run("causeway export remove s")
    for host in (server, client):
        host.run(f"rm {KEY}")
