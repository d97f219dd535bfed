#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""terminal_look.py CAUSEWAY MACHINES: tests the output of the command on real terminals of 80 and
200 columns, with colours and with NO_COLOR, on machines of umockdev: no line is longer than the
terminal is wide, the output is complete, and colours are used only where they may."""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import tempfile
import termios
from pathlib import Path

import pyte

from mock_machines import described, read

LIMIT = 60      # seconds; a longer wait is a failure
END = b"\x00"    # no command writes this byte, so everything before it is the output
LINES = 500     # enough for the output not to scroll
COLOUR = re.compile(rb"\x1b\[[0-9;]*m")

# The verb, and what its output must contain on the machine.
LOOKS = (
    ("connectx-a0-ddr", "show", "active, 20 Gb/s"),
    ("connectx5-ethernet", "show", "RoCE v2"),
    ("two-ports-one-down", "show", "down: no port answers"),
    ("connectx-a0-ddr", "ipoib show", "PORT GUID"),
    ("two-ports-one-down", "doctor", "causeway"),
    ("omnipath", "show", "hfi1"),
    ("rxe", "doctor --list", "memlock-small"),
    ("rxe", "explain rate", "12X"),
    ("rxe", "explain mode", "connected"),
    ("rxe", "help", "attach"),
    ("rxe", "help attach", "--queues"),
)
# On these machines, the output is known to mark something as good or bad.
COLOURED = {("connectx-a0-ddr", "show"), ("two-ports-one-down", "show")}


def said(command, description, words, columns, colour):
    """Return the output of a command on a terminal of this width, and its exit status.

    The child writes END after the output. The reader does not wait for the terminal to hang up,
    because a terminal that hangs up may drop output that was not read yet.
    """
    child, end = pty.fork()
    if child == 0:
        os.environ.update({"TERM": "xterm-256color", "NO_COLOR": "" if colour else "1"})
        os.read(0, 1)       # waits until the size is set
        try:
            status = os.spawnvp(os.P_WAIT, "umockdev-run", ["umockdev-run", "--device", description, "--", command, *words])
            os.write(1, END)
            os.read(0, 1)   # waits until all output is read
        finally:
            os._exit(min(abs(status), 255))
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, columns, 0, 0))
    attributes = termios.tcgetattr(end)
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(end, termios.TCSANOW, attributes)
    os.write(end, b"\n")
    raw = b""
    while not raw.endswith(END):
        if not select.select([end], [], [], LIMIT)[0]:
            raise SystemExit(f"terminal_look: {' '.join(words)}: nothing more came after {raw.decode(errors='replace')}")
        raw += os.read(end, 65536)
    os.write(end, b"\n")
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(end)
    return raw[:-len(END)], status


def faults_of(command, folder, look, columns, colour):
    machine, verb, needed = look
    raw, status = said(command, str(folder / machine), verb.split(), columns, colour)
    screen = pyte.Screen(columns, LINES)
    pyte.ByteStream(screen).feed(raw)
    display = "\n".join(line.rstrip() for line in screen.display)
    lines = COLOUR.sub(b"", raw).decode().replace("\r", "").split("\n")
    faults = [f"a line of {len(line)}: {line}" for line in lines if len(line) > columns]
    if needed not in display:
        faults.append(f"ended with {status} and does not show '{needed}', but:\n{display.rstrip()}")
    painted = bool(COLOUR.search(raw))
    if painted and not colour:
        faults.append("colours in spite of NO_COLOR")
    if colour and not painted and (machine, verb) in COLOURED:
        faults.append("no colours")
    if os.environ.get("SHOW"):
        print(f"=== {machine}: {verb}, {columns} columns\n" + display.rstrip())
    return [f"terminal_look: {verb} on {machine}, {columns} columns, {'colour' if colour else 'NO_COLOR'}: {fault}" for fault in faults]


def main():
    command, machines = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for machine in {look[0] for look in LOOKS}:
            (folder / machine).write_text(described(read(machines / f"{machine}.sysfs")))
        for look in LOOKS:
            for columns in (80, 200):
                for colour in (True, False):
                    faults += faults_of(command, folder, look, columns, colour)
    print("\n".join(faults + [f"terminal_look: {len(LOOKS)} views, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
