# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts the instructions that each function of the guest's kernel executes for an I/O.

QEMU's plugin instructions.c counts how often each block of instructions is executed. A figure of
the whole machine may vary by more than a change to Causeway does. The instructions of Causeway's
own functions can still be compared, because they include nothing else."""

import bisect
import os
import subprocess
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ASK = "instructions.ask"
SYMBOLS = "awk '$1 ~ /^ffffffff/ && $2 ~ /^[tTwW]$/ { print $1, $3, $4 }' /proc/kallsyms"
OURS = "causeway"       # prefix of the names of our modules


def build(place):
    """Compile the plugin into the folder; return its path."""
    place.mkdir(parents=True, exist_ok=True)
    made = (place / "instructions.so").resolve()
    subprocess.run(["gcc", "-std=c11", "-D_GNU_SOURCE", "-O2", "-shared", "-fPIC", "-o", str(made), str(HERE / "plugin/instructions.c"),
                    "-lpthread"], check=True)
    return made


def arguments(plugin):
    """Return the arguments of QEMU for the plugin; names are relative to the folder of its
    machine."""
    return ("-plugin", f"{plugin},ask={ASK}")


class Symbols:
    """The functions of a kernel, from the output of SYMBOLS. Finds the function of an address, as
    (module, name)."""

    def __init__(self, text):
        found = {}
        for line in text.splitlines():
            address, name, *module = line.split()
            found[int(address, 16)] = (module[0].strip("[]") if module else "kernel", name)
        self.addresses = sorted(found)
        self.names = [found[address] for address in self.addresses]

    def at(self, address):
        place = bisect.bisect_right(self.addresses, address) - 1
        return self.names[place] if place >= 0 else ("kernel", "?")

    def begins(self, address):
        """Return whether a function begins at this address."""
        place = bisect.bisect_left(self.addresses, address)
        return place < len(self.addresses) and self.addresses[place] == address


def parse(text, symbols):
    """Return the content of the plugin's output: (module, function) -> [instructions, calls]."""
    found = {}
    for line in text.splitlines():
        word, instructions, executed = line.split()
        address, executed = int(word, 16), int(executed)
        entry = found.setdefault(symbols.at(address), [0, 0])
        entry[0] += int(instructions) * executed
        entry[1] += executed if symbols.begins(address) else 0
    return found


def per_io(before, after, ios):
    """Return how much each function grew for an I/O: (module, function) -> (instructions,
    calls)."""
    found = {}
    for name, (instructions, calls) in after.items():
        earlier = before.get(name, (0, 0))
        if instructions != earlier[0]:
            found[name] = ((instructions - earlier[0]) / ios, (calls - earlier[1]) / ios)
    return found


def whole(found, wanted):
    """Return name -> instructions of the functions for which wanted(module, name) is true. A name
    that two modules have is counted together."""
    total = {}
    for (module, part), (instructions, _) in found.items():
        # The compiler splits functions into parts (.part.0, .isra.0, .cold), differently in each
        # build.
        name = part.split(".")[0]
        if wanted(module, name):
            total[name] = total.get(name, 0) + instructions
    return total


def ours(found):
    """Return name -> instructions of the functions of Causeway's modules."""
    return whole(found, lambda module, name: module.startswith(OURS))


class Counter:
    """Requests counts from the plugin of the machine in this folder."""

    def __init__(self, folder):
        self.folder, self.number, self.asked = Path(folder), 0, None

    def read(self, symbols, timeout=60):
        self.number += 1
        answer = self.folder / f"instructions.{self.number}"
        deadline = time.monotonic() + timeout
        while not self._asked(answer.name) or not answer.exists():
            if time.monotonic() > deadline:
                raise TimeoutError(f"QEMU's plugin did not write {answer}")
            time.sleep(0.02)
        found = parse(answer.read_text(), symbols)
        answer.unlink()
        self.asked = None
        return found

    def _asked(self, name):
        """Write the name to the FIFO, once. Return False while QEMU does not read the FIFO, which
        it opens again after each answer."""
        if self.asked != name:
            try:
                fifo = os.open(self.folder / ASK, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                return False
            os.write(fifo, f"{name}\n".encode())
            os.close(fifo)
            self.asked = name
        return True
