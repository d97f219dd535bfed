#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""progress_terminal.py COMMAND: tests that a verb that waits shows on a terminal for how long, erases that line at the
end, and shows no such line with --json. The verb waits for a lock that the test holds."""

import fcntl
import os
import pty
import select
import sys
import tempfile
from pathlib import Path

import pyte

LIMIT = 60      # seconds; a longer wait is a failure
VERB = ["limits", "set", "unlimited"]
WAITS = b"waiting for its end"


class Verb:
    """The verb on a terminal of its own."""

    def __init__(self, command, root, *more):
        self.raw = b""
        self.child, self.end = pty.fork()
        if self.child == 0:
            os.environ["TERM"] = "xterm"
            os.execv(command, [command, "--root", str(root), *VERB, *more])

    def read(self):
        """Read the available output; return False at the end."""
        if not select.select([self.end], [], [], LIMIT)[0]:
            raise SystemExit(f"progress_terminal: nothing more came after {self.raw.decode(errors='replace')}")
        try:
            got = os.read(self.end, 65536)
        except OSError:
            return False
        self.raw += got
        return bool(got)

    def wait(self, text):
        while text not in self.raw:
            if not self.read():
                raise SystemExit(f"progress_terminal: no {text!r} in {self.raw.decode(errors='replace')}")

    def finish(self):
        while self.read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


def main():
    command = os.path.abspath(sys.argv[1])
    faults = []
    with tempfile.TemporaryDirectory() as name:
        journal = Path(name) / "var/lib/causeway/journal"
        journal.mkdir(parents=True)
        with (journal / "lock").open("w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            quiet = Verb(command, name, "--json")
            quiet.wait(WAITS)
            shown = Verb(command, name)
            # The quiet one waits for longer by now, so it would have shown its line.
            shown.wait(b"limits set unlimited: 3 s")
        ends = [verb.finish() for verb in (shown, quiet)]
    # One of the two makes the change; the other one sees that the file was changed meanwhile.
    if sorted(ends) != [0, 75]:
        faults.append(f"the verbs ended with {ends}")
    screen = pyte.Screen(200, 50)
    pyte.ByteStream(screen).feed(shown.raw)
    if any("limits set unlimited:" in line for line in screen.display):
        faults.append("the line is not erased:\n" + "\n".join(screen.display).rstrip())
    if b"\x1b[K" in quiet.raw:
        faults.append(f"--json shows a line: {quiet.raw.decode(errors='replace')}")
    print("\n".join(f"progress_terminal: {fault}" for fault in faults + [f"{len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
