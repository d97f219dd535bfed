# SPDX-License-Identifier: GPL-2.0-or-later
"""A record of the commands that were typed on the hosts, with their output and the time."""

import shlex


class Recording:
    """The seconds are those of the guests' clocks, since the first command. The clock of a guest
    goes on while the guest reboots."""

    def __init__(self):
        self.first = None
        self.lines = []

    def now(self, host):
        """Return the seconds since the first command of the record, by the clock of the host."""
        now = int(host.run("date +%s").out)
        self.first = now if self.first is None else self.first
        return now - self.first

    def section(self, title):
        self.lines += ["", f"{title}:"] if self.lines else [f"{title}:"]

    def add(self, host, command, began, ended, output=""):
        """Record a command that ran from "began" to "ended"."""
        took = f" ({ended - began} s)" if ended - began > 1 else ""
        self.lines.append(f"[{began:4} s] {host.name}# {command}{took}")
        self.lines += [("         " + line).rstrip() for line in output.splitlines()]

    def keep(self, rig, place):
        """Write the record to a file and print its name."""
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("\n".join(self.lines) + "\n", encoding="utf-8")
        rig.say(f"     recorded in {place}")


def at_terminal(command):
    """Return a command that runs this one with a terminal as its output."""
    return f"TERM=dumb NO_COLOR=1 script -qec {shlex.quote(command)} /dev/null"
