#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""live_terminal.py USER_TESTS: tests that "causeway top", with connections of a kernel in memory,
looks right on terminals of several sizes and ends on a key."""

import fcntl
import os
import pty
import select
import struct
import sys
import termios

import pyte

LIMIT = 60      # seconds; a longer wait is a failure


class Terminal:
    """A terminal of this size, and the test that runs top in it."""

    def __init__(self, program, lines, columns, environment):
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.child, self.end = pty.fork()
        if self.child == 0:
            os.environ.update(environment)
            os.environ["ASAN_OPTIONS"] = "detect_leaks=0"       # ncurses does not free its memory
            os.read(0, 1)       # waits until the size is set
            os.execv(program, [program, "--gtest_filter=*shows_itself_in_a_terminal",
                               "--gtest_also_run_disabled_tests"])
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        os.write(self.end, b"\n")

    def read(self):
        """Read the available output; return False at the end."""
        if not select.select([self.end], [], [], LIMIT)[0]:
            raise SystemExit("live_terminal: nothing more came:\n" + "\n".join(self.screen.display))
        try:
            got = os.read(self.end, 65536)
        except OSError:
            return False
        self.raw += got
        self.stream.feed(got)
        return bool(got)

    def wait(self, text):
        while not any(text in line for line in self.screen.display):
            if not self.read():
                raise SystemExit(f"live_terminal: ended before it showed '{text}':\n" + self.raw.decode(errors="replace"))

    def finish(self):
        while self.read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


def check(program, lines, columns, colour):
    environment = {"TERM": "xterm-256color", "NO_COLOR": "" if colour else "1"}
    terminal = Terminal(program, lines, columns, environment)
    terminal.wait("q quit   s sort, now by throughput")
    terminal.wait("storage1/scratch")
    display = list(terminal.screen.display)
    faults = []
    if "connections live" not in display[0]:
        faults.append("no summary in the first line")
    if ("DEVICE" in display[2]) != (columns >= 110) or "STATE" not in display[2]:
        faults.append("wrong titles: " + display[2])
    if "q quit" not in display[lines - 1]:
        faults.append("the keys are not in the last line")
    row = next(i for i, line in enumerate(display) if "storage1/scratch" in line)
    state = display[row].find("live")
    if state < 0:
        faults.append("no state: " + display[row])
    elif (terminal.screen.buffer[row][state].fg == "green") != colour:
        faults.append(f"the state is {terminal.screen.buffer[row][state].fg}")
    os.write(terminal.end, b"s")
    terminal.wait("now by latency")
    os.write(terminal.end, b"q")
    if terminal.finish() != 0:
        faults.append("it failed")
    for fault in faults:
        print(f"live_terminal: {columns}x{lines}: {fault}")
    if os.environ.get("SHOW"):
        print("\n".join(display))
    return not faults


def main():
    program = os.path.abspath(sys.argv[1])
    good = [check(program, lines, columns, colour) for lines, columns in ((24, 80), (50, 200)) for colour in (True, False)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
