# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the log of a dm-log-writes target of a guest: each write with its flags, in the order in
which the writes became durable."""

import struct
import time
from collections import namedtuple

Entry = namedtuple("Entry", "sector sectors flush fua discard mark at")      # at: the sector before its data

SUPER = struct.Struct("<QQQI")      # magic, version, entries, sector size
ENTRY = struct.Struct("<QQQQ")      # sector, sectors, flags, length of a mark
SECTOR = 512
MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8


class NoLog(ValueError):
    """The disk does not begin with the first sector of a log."""


def start(host, name, data, log):
    """Make /dev/mapper/NAME, which writes to one device and logs to another; return its path."""
    host.run("modprobe -a dm_mod dm_log_writes")
    host.run(f"dmsetup create {name} --table \"0 $(blockdev --getsz {data}) log-writes {data} {log}\"")
    return f"/dev/mapper/{name}"


def mark(host, name, word):
    host.run(f"dmsetup message {name} 0 mark {word}")


def finish(host, name, serial, first):
    """Remove the target, and return the entries that it logged from a sector of a virtual disk on.
    """
    host.run(f"dmsetup remove {name}")
    return read(host, serial, first)


def read(host, serial, first):
    """Return the entries of a log that begins at a sector of a virtual disk. The rig reads them,
    because this is faster than in the guest."""
    with open(host.rig.folder / f"{host.name}-{serial}.disk", "rb") as disk:
        disk.seek(first * SECTOR)
        magic, _, count, size = SUPER.unpack(disk.read(SUPER.size))
        if (magic, size) != (MAGIC, SECTOR):
            raise NoLog(f"{host.name}: disk {serial} holds no log of writes")
        entries, at = [], first + 1
        for _ in range(count):
            disk.seek(at * SECTOR)
            sector, sectors, flags, length = ENTRY.unpack(disk.read(ENTRY.size))
            word = disk.read(length).decode() if flags & MARK else ""
            entries.append(Entry(sector, sectors, bool(flags & FLUSH), bool(flags & FUA), bool(flags & DISCARD), word, at))
            at += 1 + (0 if flags & DISCARD else sectors)
    return entries


def has_mark(host, serial, first, word):
    try:
        return any(entry.mark == word for entry in read(host, serial, first))
    except NoLog:
        return False        # a new log has its first sector a moment later, too


def settle(host, name, serial, first, timeout=30):
    """Wait until all flushed writes are in the log, which is written a moment later than the disk.
    """
    word = f"settled-{time.monotonic_ns()}"
    mark(host, name, word)
    deadline = time.monotonic() + timeout * host.agent.scale
    while not has_mark(host, serial, first, word):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{host.name}: the log {name} never had its mark")
        time.sleep(0.1)


def forget(host, serial, data, size, first, before=None):
    """Do what a power cut does to a disk with a cache: of the sectors [data, data + size) of a
    virtual disk, only what was flushed stays.

    The log of their writes begins at "first". It began when they held "before", or zeroes if that
    is not given. The host has no power. Return what they hold now.
    """
    entries = read(host, serial, first)
    flushed = max((number for number, entry in enumerate(entries) if entry.flush), default=-1) + 1
    durable = entries[:flushed] + [entry for entry in entries[flushed:] if entry.fua]
    content = bytearray(before or bytes(size * SECTOR))
    with open(host.rig.folder / f"{host.name}-{serial}.disk", "r+b") as disk:
        for entry in durable:
            at, length = entry.sector * SECTOR, entry.sectors * SECTOR
            disk.seek((entry.at + 1) * SECTOR)
            content[at:at + length] = bytes(length) if entry.discard else disk.read(length)
        disk.seek(data * SECTOR)
        disk.write(content)
    return content


def fill(disk, letter, block, flush=False):
    """Return the command that fills a 64 KiB block of a client's disk with a letter."""
    return (f"head -c 65536 /dev/zero | tr '\\0' {letter} | dd of={disk} bs=64k seek={block} iflag=fullblock "
            f"oflag=direct conv=notrunc{',fsync' if flush else ''} status=none")


def content(client, disk, block):
    """Return the letters with which such a block is filled; nothing for zeroes."""
    return client.run(f"dd if={disk} bs=64k skip={block} count=1 iflag=direct status=none | tr -d '\\0' | tr -s A-Z").out


def sections(entries):
    """Return the entries behind each mark, by its word. Entries before the first mark are under "".
    """
    found = {"": []}
    word = ""
    for entry in entries:
        if entry.mark:
            word = entry.mark
            found[word] = []
        else:
            found[word].append(entry)
    return found
