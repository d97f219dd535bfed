# SPDX-License-Identifier: GPL-2.0-or-later
"""A client ends the connection to a server that breaks the protocol, and gives the reason in words.
The client connects again and accepts no wrong data."""
import hashlib
import json
import re

from machine.agent import TooSlow
from using import causeway
from using.resources import RESOURCES

TIER = "long"
LONG_KERNELS = ("kasan",)

PAGE, MIB = 4096, 1 << 20
PROVOKES = 7 * MIB // 2     # a read at this offset provokes the misdeed of the server; the reads of udev do not
BROKE = r"the peer broke the protocol \(-71\)"
MALFORMED = r"the server's %s is malformed \(-71\)"

# The error of an attach to a server that misbehaves in this way at login.
LOGIN = {
    "wrong-mac": "the server could not prove that it has the key",
    "changed-on-the-way": "the server could not prove that it has the key",
    "unproved-mac": "the server proves a key that the export does not have",
    "dead-before-a-second-probe": MALFORMED % "welcome",
    "waiting-first": f"{BROKE} while waiting for the server's challenge",
    "malformed-waiting": "the server broke the protocol: a malformed WAITING",
    "waiting-with-a-path": "the server broke the protocol: a malformed WAITING",
    "farewell-first": f"{BROKE} while waiting for the server's welcome",
    "joined-first": f"{BROKE} while waiting for the server's challenge",
    "no-key": "a key was given, but the export has none: the server cannot prove itself",
    "key-wanted": "it goes on with a key that this host did not offer",
    "wrong-magic": MALFORMED % "challenge",
    "feature-not-offered": MALFORMED % "challenge",
    "short-challenge": f"{BROKE}|the server's challenge",
    "challenge-twice": f"{BROKE} while waiting for the server's welcome",
    "more-depth-than-wished": MALFORMED % "welcome",
    "more-queues-than-wished": MALFORMED % "welcome",
    "no-queues": MALFORMED % "welcome",
    "no-messages": MALFORMED % "welcome",
    "odd-blocks": MALFORMED % "welcome",
    "huge-disk": MALFORMED % "welcome",
    "never-dead": MALFORMED % "welcome",
    "refused-without-end": "the server's refusal is malformed",
    "welcome-first": f"{BROKE} while waiting for the server's challenge",
    "notice-first": f"{BROKE} while waiting for the server's challenge",
    "hello-back": f"{BROKE} while waiting for the server's challenge",
    "silent-to-hello": "no the server's challenge: the server was silent for 5000 ms",
    "silent-to-proof": "no the server's welcome: the server was silent for 5000 ms",
    "silent-to-data-link": "connecting took longer than 10000 ms",
    "hangs-up-on-hello": "while waiting for the server's challenge",
    "hangs-up-on-proof": "while waiting for the server's welcome",
    "hangs-up-on-data-link": "connecting took longer than 10000 ms|closed the connection while waiting for the server's welcome",
}
WITH_KEY = ("wrong-mac", "changed-on-the-way", "no-key", "refused-by-another-disk-with-key")
# The server sends these malformed acceptances of a link.
ACCEPTANCES = ("nothing", "too-short", "wrong-magic", "version-0", "version-1", "version-3", "unknown-kind", "other-kind", "other-index",
               "huge-index", "credits-of-version-1", "nonce-on-data", "other-transport", "unknown-transport", "reserved-tail")
# The client gets these acceptances of control links when it comes back.
COMES_BACK = ("too-short", "wrong-magic", "other-kind")
NOT_ACCEPTED = "the server's acceptance is malformed"

# The reason for which the client ends the connection after this misdeed. The next connection
# answers the read that provoked it.
DATA = {
    "idle-slot": BROKE,
    "slot-beyond-the-depth": BROKE,
    "slot-of-a-bare-write": BROKE,
    "answered-twice": BROKE,
    "twice-in-one": BROKE,
    "ok-without-data": BROKE,
    "less-data": BROKE,
    "data-beyond-the-message": BROKE,
    "unknown-status": BROKE,
    "length-too-large": BROKE,
    "length-too-small": BROKE,
    "too-many-records": BROKE,
    "no-records": BROKE,
    "ordinal-gap": BROKE,
    "credit-beyond-what-was-sent": BROKE,
    "credit-goes-back": BROKE,
    "cut-message": BROKE,
    "empty-message": BROKE,
    "larger-than-any-receive": "a receive failed: ",
    "bare-unasked": BROKE,
    "commands-back": BROKE,
    "welcome-on-data": BROKE,
    "welcome-again": BROKE,
    "farewell-unasked": BROKE,
    "waiting-when-live": BROKE,
    "fenced-unasked": BROKE,
    "malformed-notice": r"an unexpected control message \(10\)",
    "flood-of-notices": rf"an unexpected control message \(10\)|{BROKE}",
    "hangs-up": "closed by the peer|closed",
    "silent-on-data": "the server was silent on data link 0 for",
    "ignores-a-command": "a command had no answer in time",
    "never-answers": "the server was silent on (data|control) link 0 for",
}
TRANSFER = {
    "transfer-answered-inline": BROKE,
    "transfer-wrong-key": BROKE,
    "transfer-one-key-for-two": BROKE,
    "transfer-key-in-a-probe": BROKE,
    "transfer-unknown-key": ".",
    "transfer-beyond-the-memory": ".",
    "transfer-written-late": ".",
}
# The server writes to a command's memory through another link of the session, with the rkey of the command.
OTHER_LINK = {
    "transfer-key-on-another-data-link": "--queues 2",
    "transfer-key-on-the-control-link": "--queues 1",
}
# The client refuses these second connections of a session with this message.
LESS = r"the server grants less than before \(%s\)"
ON_RETURN = {
    "fewer-grants": LESS % "1 queues of 4, were 1 of 8",
    "no-inline-on-return": LESS % "0 bytes of inline data, were 4096",
    "smaller-commands-on-return": LESS % "commands of 32768 bytes, were 65536",
    "larger-blocks-on-return": "the disk has logical blocks of 4096 bytes, had 512 before",
    # The server sends no welcome here, but a proved refusal.
    "refused-by-another-disk": "another disk answers to the name",
    "refused-by-another-disk-with-key": "another disk answers to the name",
}


def content(offset, length):
    return b"".join(bytes([(offset + at) // PAGE % 251]) * PAGE for at in range(0, length, PAGE))


def break_login(client, wrong):
    for name, sentence in LOGIN.items():
        key = "--key-file /tmp/key" if name in WITH_KEY else ""
        result = client.run(f"causeway attach --no-persist 10.0.0.1/{name} {key}", timeout=60, check=False)
        if result.rc == 0 or not re.search(sentence, result.out):
            wrong.append(f"{name}: exit code {result.rc}, no /{sentence}/ in\n{result.out}")
            client.run(f"causeway detach --force 10.0.0.1/{name}", check=False)


def accept_wrongly(client, host, wrong):
    """The client uses no control link and no data link whose acceptance is malformed, and the
    attempt leaves nothing behind."""
    before = client.run(RESOURCES).out
    names = ["honest"] * len(ACCEPTANCES) + [f"data-link-{acceptance}" for acceptance in ACCEPTANCES]
    for name in names:
        result = client.run(f"causeway attach --no-persist 10.0.0.1/{name}", check=False)
        if result.rc == 0 or NOT_ACCEPTED not in result.out:
            wrong.append(f"{name}: exit code {result.rc}, no /{NOT_ACCEPTED}/ in\n{result.out}")
            client.run(f"causeway detach --force 10.0.0.1/{name}", check=False)
    met = re.findall(r"^control link accepted: (.*)$", host.out, re.M)
    # The cases of data links come after all wrong control links, except those for the client that
    # comes back.
    assert tuple(met[:len(ACCEPTANCES)]) == ACCEPTANCES, met
    assert causeway.attachments(client) == []
    assert causeway.connections(client) == []
    client.wait_for(f"[ \"$({RESOURCES})\" = '{before.strip()}' ]", timeout=30)


def come_back(client, events, name, attempts, wrong):
    """A client whose connection is lost tries again after a malformed acceptance, until it gets a
    good one."""
    client.run(f"causeway attach --no-persist 10.0.0.1/{name}")
    read = client.start(f"dd if=/dev/causeway/10.0.0.1/{name} bs=4k skip={PROVOKES // PAGE} count=1 iflag=direct | sha256sum")
    for _ in range(attempts):
        await_event(client, events, name, NOT_ACCEPTED, wrong)
    await_event(client, events, name, "live over", wrong)
    read.wait(timeout=60)
    if hashlib.sha256(content(PROVOKES, PAGE)).hexdigest() not in read.out:
        wrong.append(f"{name}: wrong data was read\n{read.out}")
    client.run(f"causeway detach --force 10.0.0.1/{name}")


def await_event(client, events, name, sentence, wrong):
    try:
        events.wait_for(rf"10\.0\.0\.1/{name}\b.*({sentence})", timeout=40)
    except TooSlow:
        wrong.append(f"{name}: no event with /{sentence}/\n" + client.run("dmesg | tail -n 5").out)


def read_through_it(client, events, name, sentence, size, wrong, options=""):
    """Attach, read the data that provokes the server, and compare it with the content of an honest
    server."""
    device = f"/dev/causeway/10.0.0.1/{name}"
    result = client.run(f"causeway attach --no-persist {options} 10.0.0.1/{name} >/tmp/attach && timeout 60 dd if={device} bs={size} "
                        f"skip={PROVOKES // size} count=1 iflag=direct 2>/tmp/dd | sha256sum; cat /tmp/attach /tmp/dd",
                        timeout=90, check=False)
    if hashlib.sha256(content(PROVOKES, size)).hexdigest() not in result.out:
        wrong.append(f"{name}: wrong data was read\n{result.out}")
    await_event(client, events, name, sentence, wrong)
    await_event(client, events, name, "live over", wrong)
    told = client.run(f"causeway net --json && causeway detach --force 10.0.0.1/{name} >/tmp/attach", check=False).out
    told = [one for one in json.loads(told)["connections"] if one["name"] == name]
    if [(one["state"], one["reconnects"]) for one in told] != [("live", 1)]:
        wrong.append(f"{name}: {told}")


def keys_are_of_one_link(client, host, events, wrong):
    """No other link of the session can access the memory of a command: the client's adapter refuses
    the access and ends that link."""
    for name, options in OTHER_LINK.items():
        read_through_it(client, events, name, ".", 128 << 10, wrong, options)
        results = re.findall(rf"^{name}: (.* error|success)$", host.out, re.M)
        print(f"{name}: {results}")
        if results[:1] != ["remote access error"] or "success" in results:
            wrong.append(f"{name}: the results of the writes are {results}")


def late_challenge_is_not_believed(client, host, wrong):
    """A login ignores a message of an earlier attempt, which would make the client prove the key to
    a wrong nonce."""
    client.run("causeway attach --no-persist --background --key-file /tmp/key 10.0.0.1/late-challenge")
    host.wait_for("late-challenge: connection 2", timeout=60)
    client.wait_for("[ -b /dev/causeway/10.0.0.1/late-challenge ]", timeout=60)
    if "a wrong proof" in host.out:
        wrong.append("late-challenge: the challenge of the failed attempt was answered by the next one")
    client.run("causeway detach --force 10.0.0.1/late-challenge")


def a_login_that_hears_nothing_probes(client):
    """The client sends a probe during a login, so it succeeds over a transport that delivers HELLO
    only with the next message. Soft-iWARP does so now and then."""
    client.run("causeway attach --no-persist 10.0.0.1/waits-for-a-probe && causeway detach --force 10.0.0.1/waits-for-a-probe")


def a_login_waits_as_long_as_it_is_told_to(client):
    """The client does not give up while the server sends WAITING, even for longer than it tolerates
    silence."""
    client.run("causeway attach --no-persist 10.0.0.1/waits-long && causeway detach --force 10.0.0.1/waits-long", timeout=60)


def another_welcome_is_refused(client, events, name, sentence, wrong):
    """I/O fails while the server offers less than the device was made for, and goes on after the
    next login that succeeds."""
    client.run(f"causeway attach --no-persist 10.0.0.1/{name} {'--key-file /tmp/key' if name in WITH_KEY else ''}")
    read = client.start(f"dd if=/dev/causeway/10.0.0.1/{name} bs=4k skip={PROVOKES // PAGE} count=1 iflag=direct")
    await_event(client, events, name, sentence, wrong)
    if read.wait(timeout=60, check=False).rc == 0 or "Input/output error" not in read.out:
        wrong.append(f"{name}: the read did not fail\n{read.out}")
    await_event(client, events, name, "live over", wrong)
    read = client.run(f"dd if=/dev/causeway/10.0.0.1/{name} bs=4k count=1 skip={PROVOKES // PAGE} iflag=direct | sha256sum")
    if hashlib.sha256(content(PROVOKES, PAGE)).hexdigest() not in read.out:
        wrong.append(f"{name}: wrong data was read\n{read.out}")
    client.run(f"causeway detach --force 10.0.0.1/{name}")


def scenario(rig):
    server, client = rig.server, rig.client
    # The cases of data links have good control links; so has the first connection of the client
    # that comes back.
    control_links = [*ACCEPTANCES, *["right"] * len(ACCEPTANCES), "right", *COMES_BACK]
    host = server.start(f"causeway-peer host 'a secret of 24 letters' {' '.join(control_links)}")
    host.wait_for("listening", timeout=30)
    client.run("umask 077; printf 'a secret of 24 letters' >/tmp/key; modprobe causeway_disk")
    events = client.start("causeway watch")
    wrong = []
    accept_wrongly(client, host, wrong)
    come_back(client, events, "hangs-up", len(COMES_BACK), wrong)
    come_back(client, events, "comes-back-wrong", 3, wrong)
    break_login(client, wrong)
    for name, sentence in DATA.items():
        read_through_it(client, events, name, sentence, PAGE, wrong)
    for name, sentence in TRANSFER.items():
        read_through_it(client, events, name, sentence, 128 << 10, wrong)
    keys_are_of_one_link(client, host, events, wrong)
    late_challenge_is_not_believed(client, host, wrong)
    a_login_that_hears_nothing_probes(client)
    a_login_waits_as_long_as_it_is_told_to(client)
    for name, sentence in ON_RETURN.items():
        another_welcome_is_refused(client, events, name, sentence, wrong)
    # After all that, an honest server still works.
    client.run("causeway attach --no-persist 10.0.0.1/honest")
    told = client.run("dd if=/dev/causeway/10.0.0.1/honest bs=64k iflag=direct | sha256sum").out
    assert hashlib.sha256(content(0, 8 * MIB)).hexdigest() in told, told
    client.run("causeway detach --all")
    assert not wrong, "\n".join(wrong)
