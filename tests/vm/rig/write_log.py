# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads what the dm-log-writes target of a guest recorded: each write with its flags, in the order of their durability."""

import struct
from collections import namedtuple

Entry = namedtuple("Entry", "sector sectors flush fua discard mark")

SUPER = struct.Struct("<QQQI")      # magic, version, entries, sector size
ENTRY = struct.Struct("<QQQQ")      # sector, sectors, flags, length of a mark
SECTOR = 512
MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8


def start(host, name, data, log):
    """Make /dev/mapper/NAME, which writes to one device and logs to another; returns its path."""
    host.run("modprobe -a dm_mod dm_log_writes")
    host.run(f"dmsetup create {name} --table \"0 $(blockdev --getsz {data}) log-writes {data} {log}\"")
    return f"/dev/mapper/{name}"


def mark(host, name, word):
    host.run(f"dmsetup message {name} 0 mark {word}")


def finish(host, name, serial, first):
    """Take the target away and return all that it logged from a sector of a virtual disk on."""
    host.run(f"dmsetup remove {name}")
    return read(host, serial, first)


def read(host, serial, first):
    """The entries of a log that begins at a sector of a virtual disk: read here, where walking it is fast."""
    with open(host.lab.folder / f"{host.name}-{serial}.disk", "rb") as disk:
        disk.seek(first * SECTOR)
        magic, _, count, size = SUPER.unpack(disk.read(SUPER.size))
        if (magic, size) != (MAGIC, SECTOR):
            raise ValueError(f"{host.name}: disk {serial} holds no log of writes")
        entries, at = [], first + 1
        for _ in range(count):
            disk.seek(at * SECTOR)
            sector, sectors, flags, length = ENTRY.unpack(disk.read(ENTRY.size))
            word = disk.read(length).decode() if flags & MARK else ""
            entries.append(Entry(sector, sectors, bool(flags & FLUSH), bool(flags & FUA), bool(flags & DISCARD), word))
            at += 1 + (0 if flags & DISCARD else sectors)
    return entries


def sections(entries):
    """The entries behind each mark, by its word; what came before the first is under ""."""
    found = {"": []}
    word = ""
    for entry in entries:
        if entry.mark:
            word = entry.mark
            found[word] = []
        else:
            found[word].append(entry)
    return found
