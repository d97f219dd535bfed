# SPDX-License-Identifier: GPL-2.0-or-later
"""A shell that stays at a host. An emulated machine takes long to start a program, so many short commands are given to one shell."""

from machine.agent import CommandFailed, Result, TooSlow


class Shell:
    """Has the functions of a Host that run commands. One command runs at a time."""

    def __init__(self, host):
        self.host = host
        self.job = host.start("exec bash", has_input=True)
        self.command = ""
        self.number = 0         # of the newest command

    def begin(self, command):
        self.number += 1
        self.command = command
        # The output may end without a line feed.
        self.job.send(f'( {command}\n) </dev/null 2>&1; rc=$?; echo; echo "$rc end {self.number}"\n')

    def end(self, timeout=60, check=True):
        """Wait until the command has ended; return its Result."""
        try:
            found = self.job.wait_for(rf"(?s)\A(.*?)\n(\d+) end {self.number}\n", timeout)
        except TooSlow as error:
            raise TooSlow(f"{self.host.name}: no end after {timeout} s: {self.command}") from error
        result = Result(self.command, found.group(1), int(found.group(2)))
        self.host.log(f"[{self.host.name}] {self.command}\n{result.out}[{self.host.name}] = {result.rc}")
        if check and result.rc:
            raise CommandFailed(f"{self.host.name}: exit code {result.rc}: {self.command}\n{result.out[-4000:]}")
        return result

    def run(self, command, timeout=60, check=True):
        self.begin(command)
        return self.end(timeout, check)

    def wait_for(self, condition, timeout=60):
        self.run(f"until ( {condition} ) >/dev/null 2>&1; do read -rt 0.1 <> <(:) || :; done", timeout)

    def read(self, path):
        return self.run(f"cat {path}").out
