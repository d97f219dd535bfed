# SPDX-License-Identifier: GPL-2.0-or-later
"""The server's power fails after any write to the disk with the ledger, and the export starts
again. A change of owner that was in progress is made or not made; a change that was reported is
made."""

from machine.needs import module
from using import causeway, write_log
from machine.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"), Disk("state", "64M"))})
TIER = "long"
KERNELS = ("stock",)
REQUIRES = (module("dm_log_writes"),)

STATE = "/srv/state"
# Sectors of the file system with the ledger, and of the log of its writes.
DATA, SIZE, LOG, LOG_SIZE = 0, 16384, 32768, 98304
MAPPED = "/dev/mapper/state"

# The ledger has no entry of the client's host, or an entry with two flags: (owner, evicted).
NONE, OWNER, EVICTED, KNOWN = None, (True, False), (False, True), (False, False)
# Each row: a command, and the entry before and after it.
CHANGES = (
    ("attach", NONE, OWNER),
    ("evict", OWNER, EVICTED),
    ("readmit", EVICTED, KNOWN),
    ("attach-again", KNOWN, OWNER),
    ("detach", OWNER, KNOWN),
)


def mount(server, device):
    server.run(f"mkdir -p {STATE} && mount {device} {STATE}")


def mark(server, word):
    write_log.settle(server, "state", "state", LOG)
    write_log.mark(server, "state", word)


def record(server, client):
    """Log all writes to the disk with the ledger; return the host and the entries."""
    state, store = server.disk("state"), server.disk("store")
    server.run("modprobe dm_mod")
    server.run(f"dmsetup create state-data --table '0 {SIZE} linear {state} {DATA}' && "
               f"dmsetup create state-log --table '0 {LOG_SIZE} linear {state} {LOG}'")
    write_log.start(server, "state", "/dev/mapper/state-data", "/dev/mapper/state-log")
    server.run(f"mkfs.ext4 -q -J size=1 -E lazy_itable_init=0,lazy_journal_init=0 {MAPPED}")
    mount(server, MAPPED)
    server.run(f"causeway export add h --device {store} --state-folder {STATE} --allow any && sync -f {STATE}")
    client.run("causeway attach 10.0.0.1/h")
    host = causeway.connection(server)["host"]
    # The record of an earlier attachment would exist from the beginning.
    client.run("causeway detach 10.0.0.1/h")
    server.run(f"causeway stop --force && causeway export add h --device {store} --forget-owners --allow any && sync -f {STATE}")
    deeds = {"attach": lambda: client.run("causeway attach 10.0.0.1/h"),
             "evict": lambda: server.run(f"causeway export evict h --host {host}"),
             "readmit": lambda: server.run(f"causeway export readmit h --host {host}"),
             "attach-again": lambda: client.run("causeway detach 10.0.0.1/h --force; causeway attach 10.0.0.1/h"),
             "detach": lambda: client.run("causeway detach 10.0.0.1/h")}
    for word, _, _ in CHANGES:
        mark(server, word)
        deeds[word]()
        mark(server, f"{word}-done")
    write_log.settle(server, "state", "state", LOG)
    server.run(f"causeway stop --force && umount {STATE}")
    return host, write_log.finish(server, "state", "state", LOG)


def crashes(entries):
    """Yield the change, the states that are allowed, and the entries that a power cut leaves, for
    each write during a change and after it."""
    changes = {word: (before, after) for word, before, after in CHANGES}
    word = ""
    for number, entry in enumerate(entries):
        if entry.mark in changes:
            word = entry.mark
            yield word, changes[word][:1], entries[:number]
        elif word and entry.mark == f"{word}-done":
            yield word, changes[word][1:], entries[:number]
            word = ""
        elif word and not entry.mark:
            yield word, changes[word], entries[:number + 1]


def put(server, entries):
    """Write the disk as a power cut would leave it."""
    content = bytearray(SIZE * write_log.SECTOR)
    with open(server.rig.folder / f"{server.name}-state.disk", "r+b") as disk:
        for entry in entries:
            if entry.mark or not entry.sectors:
                continue
            at, length = entry.sector * write_log.SECTOR, entry.sectors * write_log.SECTOR
            disk.seek((entry.at + 1) * write_log.SECTOR)
            content[at:at + length] = bytes(length) if entry.discard else disk.read(length)
        disk.seek(DATA * write_log.SECTOR)
        disk.write(content)
    server.run("blockdev --flushbufs /dev/mapper/state-data")


def told(server, host):
    export, = causeway.exports(server)
    assert not export["outdated"] and not export["reason"], export
    for owner in export["owners"]:
        if owner["host"] == host:
            return owner["owner"], owner["evicted"]
    return None


def scenario(rig):
    server, client = rig.server, rig.client
    host, entries = record(server, client)
    seen = {}
    for word, allowed, left in crashes(entries):
        put(server, left)
        mount(server, "/dev/mapper/state-data")
        server.run("causeway restore")
        state = told(server, host)
        assert state in allowed, f"{word}, after {len(left)} writes: {state}, and not one of {allowed}"
        seen.setdefault(word, []).append(state)
        server.run(f"causeway stop --force && umount {STATE}")
    for word, before, after in CHANGES:
        rig.say(f"{word}: {len(seen[word])} power cuts, {seen[word].count(before)} before the change")
        assert before in seen[word] and seen[word][-1] == after, seen[word]
    server.run("causeway export remove h; dmsetup remove state-log state-data")
