# SPDX-License-Identifier: GPL-2.0-or-later
"""A client accepts a refusal as final only if it is proved and names the disk. Then all I/O fails,
no login follows until detach, and a new attach gets the disk. Every other refusal is a failed
attempt: I/O waits, and goes on."""
import hashlib
import re

from using import causeway

TIER = "long"
LONG_KERNELS = ("kasan",)

PAGE, MIB = 4096, 1 << 20
PROVOKES = 7 * MIB // 2     # a command at this offset ends the first connection of a session; the reads of udev do not
FINAL = ("stale", "superseded", "evicted")
SAYS = {
    "stale": "a newer copy of this session has logged in to the server",
    "superseded": "the server no longer knows this session as the owner of the disk",
    "evicted": "the server evicted this host from the export",
}
# The faults of refusals that would be final. The unit tests have each of these with each reason.
UNBELIEVED = (
    "superseded-before-proof",
    "evicted-wrong-mac-with-key", "stale-wrong-mac-with-key",
    "superseded-zero-mac-with-key",
    "evicted-mac-without-key",
    "stale-zero-identity", "evicted-zero-identity",
    # These reasons are not final.
    "in-use-right-with-key", "ledger-right",
)
# The error of an attach that can no longer succeed.
TOO_LATE = {
    "stale": "a newer attachment of this host exists: find it with causeway list, or attach again to replace it",
    "superseded": "a later boot of this host replaced this one: if no other machine has this host's UUID, readmit the host at the server",
}
KEPT = "the server may still keep the disk for this host; to end that, run on the server: causeway export evict {} --host {}"
# Without a final refusal the longest pause between two attempts is 10 s.
QUIET = 11


def content(offset, length):
    return b"".join(bytes([(offset + at) // PAGE % 251]) * PAGE for at in range(0, length, PAGE))


def device(name):
    return f"/dev/causeway/10.0.0.1/{name}"


def attach(client, name, options=""):
    key = "--key-file /tmp/key" if name.endswith("with-key") else ""
    client.run(f"causeway attach --no-persist 10.0.0.1/{name} {key} {options}")


def attachment(client, name):
    [found] = [one for one in causeway.attachments(client) if one["name"] == name]
    return found


def connection(client, name):
    [found] = [one for one in causeway.connections(client) if one["name"] == name]
    return found


def read(client, name):
    """Start a read, which is unanswered when the first connection of the session ends; return its
    Job."""
    return client.start(f"timeout 60 dd if={device(name)} bs=4k skip={PROVOKES // PAGE} count=1 iflag=direct | sha256sum")


def write(client, name):
    return client.start(f"timeout 60 dd if=/dev/zero of={device(name)} bs=4k seek={PROVOKES // PAGE + 1} count=1 oflag=direct")


def is_believed(client, events, name, reason):
    """Unanswered and later commands fail."""
    attach(client, name)
    jobs = read(client, name), write(client, name)
    events.wait_for(rf"revoked 10\.0\.0\.1/{name}: {SAYS[reason]}: said on purpose", timeout=40)
    for job in (*jobs, read(client, name), write(client, name)):
        result = job.wait(timeout=20, check=False)
        assert "Input/output error" in result.out, (name, result)


def is_shown(client, name, reason):
    told = attachment(client, name)
    assert (told["state"], told["refusal"]) == ("revoked", reason), told
    assert told["reason"].startswith(SAYS[reason]), told
    said = client.run("causeway list").out
    assert f"causeway detach 10.0.0.1/{name} --force; causeway attach 10.0.0.1/{name}" in said, said
    assert reason != "evicted" or f"causeway export readmit {name} --host {told['host']}" in said, said
    findings = causeway.answer(client, "doctor", check=False)["findings"]
    found = [one["what"] for one in findings if one["id"] == "attachment-revoked"]
    assert any(what.startswith(f"10.0.0.1/{name} is revoked ({reason}): ") for what in found), found


def is_not_believed(client, events, name):
    """I/O waits for the next login, which succeeds."""
    attach(client, name)
    job = read(client, name)
    events.wait_for(rf"attempt-failed 10\.0\.0\.1/{name}: the server (refuses: said on purpose|evicted this host)", timeout=40)
    result = job.wait(timeout=60)
    assert hashlib.sha256(content(PROVOKES, PAGE)).hexdigest() in result.out, (name, result)
    net = connection(client, name)
    assert (net["state"], net["reconnects"]) == ("live", 1), (name, net)
    client.run(f"causeway detach --force 10.0.0.1/{name}")


def names_another_disk(client, events, name):
    """I/O fails, and works again when the disk is back."""
    attach(client, name)
    job = read(client, name)
    events.wait_for(rf"another-disk 10\.0\.0\.1/{name}: ", timeout=40)
    assert "Input/output error" in job.wait(timeout=20, check=False).out, name
    events.wait_for(rf"up 10\.0\.0\.1/{name}\b", timeout=40)
    client.run(f"dd if={device(name)} of=/dev/null bs=4k count=1 iflag=direct && causeway detach --force 10.0.0.1/{name}")


def is_too_late(client, events, reason):
    for name in (f"refused-{reason}-new", f"refused-{reason}-new-with-key"):
        key = "--key-file /tmp/key" if name.endswith("with-key") else ""
        revoked = rf"revoked 10\.0\.0\.1/{name}: {re.escape(TOO_LATE[reason])}"
        result = client.run(f"causeway attach --no-persist 10.0.0.1/{name} {key}", check=False)
        assert result.rc != 0 and TOO_LATE[reason] in result.out, result
        events.wait_for(revoked, timeout=40)
        assert "may still keep" not in result.out, result
        assert name not in client.run("causeway list").out
        attach(client, name, "--background")
        events.wait_for(revoked, timeout=40)
        told = attachment(client, name)
        assert (told["state"], told["refusal"], told["disk"]) == ("revoked", reason, None), told


def may_be_in_time(client, events, name):
    """An attach in the background goes on, because this refusal is not final."""
    attach(client, name, "--background")
    events.wait_for(rf"attempt-failed 10\.0\.0\.1/{name}: the server ", timeout=40)
    events.wait_for(rf"attached 10\.0\.0\.1/{name}: causeway", timeout=60)
    client.run(f"causeway detach --force 10.0.0.1/{name}")


def is_quiet(client, host, revoked):
    """No attempt follows: the kernel counts none, and the server gets none."""
    client.fails(f"causeway watch --until up --timeout {QUIET}", "no event 'up' came in time")
    for name in revoked:
        net = connection(client, name)
        assert (net["state"], net["attempts"]) == ("revoked", 1), net
    # A foreground attach that came first was a session of its own.
    for name in revoked:
        nr = 1 if "-new" in name else 2
        assert f"{name}: connection {nr + 1}" not in host.out, host.out


def can_be_attached_again(client, name):
    said = client.run(f"timeout 10 causeway detach 10.0.0.1/{name}").out
    assert "may still keep" not in said, said
    attach(client, name)
    read = client.run(f"dd if={device(name)} bs=4k count=1 iflag=direct | sha256sum").out
    assert hashlib.sha256(content(0, PAGE)).hexdigest() in read, read
    said = client.run(f"causeway detach 10.0.0.1/{name}").out
    assert "may still keep" not in said, said


def said_at_the_end(server, client, name):
    """Return the output of a detach after its server has died."""
    host = peer_host(server)
    attach(client, name)
    host.kill()
    return client.run(f"causeway detach --force 10.0.0.1/{name}", timeout=60).out


def is_kept(server, client, host):
    """A detach and an attach without an answer of the server report that the server may keep the
    disk."""
    given_up = client.run("causeway attach --no-persist 10.0.0.1/hangs-up-on-proof", check=False)
    refused = client.run("causeway attach --no-persist 10.0.0.1/refused-in-use-new", check=False)
    attach(client, "honest")
    uuid = attachment(client, "honest")["host"]
    host.kill()
    said = client.run("causeway detach --force 10.0.0.1/honest", timeout=60).out
    assert given_up.rc != 0 and KEPT.format("hangs-up-on-proof", uuid) in given_up.out, given_up
    assert refused.rc != 0 and "may still keep" not in refused.out, refused
    assert KEPT.format("honest", uuid) in said, said
    # A disk that is read-only for now still has an owner. A read-only export has none.
    said = said_at_the_end(server, client, "disk-read-only")
    assert KEPT.format("disk-read-only", uuid) in said, said
    said = said_at_the_end(server, client, "export-read-only")
    assert "may still keep" not in said, said


def peer_host(server):
    host = server.start("causeway-peer host 'a secret of 24 letters'")
    host.wait_for("listening", timeout=30)
    return host


def scenario(rig):
    server, client = rig.server, rig.client
    host = peer_host(server)
    client.run("umask 077; printf 'a secret of 24 letters' >/tmp/key; modprobe causeway_disk")
    events = causeway.watch(client)
    revoked = []
    for reason in FINAL:
        for how in ("right", "right-with-key"):
            revoked.append(f"refused-{reason}-{how}")
            is_believed(client, events, revoked[-1], reason)
        is_shown(client, revoked[-1], reason)
    for reason in TOO_LATE:
        is_too_late(client, events, reason)
        revoked += [f"refused-{reason}-new", f"refused-{reason}-new-with-key"]
    for how in UNBELIEVED:
        is_not_believed(client, events, f"refused-{how}")
    names_another_disk(client, events, "refused-superseded-other-identity")
    may_be_in_time(client, events, "refused-evicted-new")
    for reason in TOO_LATE:
        may_be_in_time(client, events, f"refused-{reason}-new-wrong-mac-with-key")
    is_quiet(client, host, revoked)
    for name in revoked:
        if "-new" in name:
            assert "may still keep" not in client.run(f"causeway detach 10.0.0.1/{name}").out
        else:
            can_be_attached_again(client, name)
    is_kept(server, client, host)
    client.run("causeway detach --all")
