# SPDX-License-Identifier: GPL-2.0-or-later
"""The rig's end of the agent's protocol. guest/agent.c documents the frames."""

import re
import struct
import threading
import time
from dataclasses import dataclass

HEADER = struct.Struct("<IIB")
CHUNK = 256 * 1024


class HostGone(Exception):
    """The guest no longer answers: it crashed, was cut off or shut down."""


class CommandFailed(AssertionError):
    """A command ended with another exit code than the scenario expects."""


class TooSlow(AssertionError):
    """An event for which the scenario waited did not happen in time."""


@dataclass(frozen=True)
class Result:
    command: str
    out: str
    rc: int

    @property
    def lines(self):
        return self.out.splitlines()


class Job:
    """A command that runs in a guest."""

    def __init__(self, agent, number, command, log):
        self.agent, self.number, self.command, self.log = agent, number, command, log
        self._output = bytearray()
        self._seen = 0          # wait_for searches only the output after this
        self.rc = None
        self.began = time.monotonic()

    @property
    def out(self):
        with self.agent.changed:
            return self._output.decode(errors="replace")

    @property
    def running(self):
        return self.rc is None

    def _until(self, ready, timeout, what):
        deadline = time.monotonic() + timeout
        with self.agent.changed:
            while True:
                found = ready()
                if found:
                    return found
                if self.agent.gone:
                    raise HostGone(f"{self.agent.name} is gone while it ran: {self.command}")
                left = deadline - time.monotonic()
                if left <= 0:
                    break
                self.agent.changed.wait(left)
        raise TooSlow(f"{self.agent.name}: no {what} after {timeout:.0f} s: {self.command}\n{self.out[-2000:]}")

    def wait(self, timeout=60, check=True):
        """Wait for the end. With check, raise for exit codes other than 0."""
        timeout *= self.agent.scale
        try:
            self._until(lambda: self.rc is not None, timeout, "end")
        except TooSlow:
            self.kill(9)
            raise
        result = Result(self.command, self.out, self.rc)
        self.log(f"[{self.agent.name}] {self.command}\n{result.out}"
                 f"[{self.agent.name}] = {self.rc} after {time.monotonic() - self.began:.1f} s")
        if check and self.rc:
            raise CommandFailed(f"{self.agent.name}: exit code {self.rc}: {self.command}\n{result.out[-4000:]}")
        return result

    def wait_for(self, pattern, timeout=60):
        """Wait until the output after the last match contains pattern; return the match."""
        regex = re.compile(pattern, re.M)

        def look():
            text = self._output[self._seen:].decode(errors="replace")
            match = regex.search(text)
            if match:
                self._seen += len(text[:match.end()].encode())
                return match
            if self.rc is not None:
                raise CommandFailed(f"{self.agent.name}: ended with {self.rc} and never said /{pattern}/: "
                                    f"{self.command}\n{text[-2000:]}")
            return None

        return self._until(look, timeout * self.agent.scale, f"/{pattern}/")

    def skip(self):
        """Make wait_for ignore the output up to now."""
        with self.agent.changed:
            self._seen = len(self._output)

    def send(self, data):
        """Write to the command's standard input."""
        data = data.encode() if isinstance(data, str) else data
        for at in range(0, len(data), CHUNK):
            self.agent.send(self.number, "D", data[at:at + CHUNK])

    def end_input(self):
        self.agent.send(self.number, "D", b"")

    def kill(self, signal=15):
        self.agent.send(self.number, "K", bytes([signal]))


class Agent:
    def __init__(self, name, sock, log, scale=1):
        self.name, self.sock, self.log, self.scale = name, sock, log, scale
        self.changed = threading.Condition()
        self.sending = threading.Lock()
        self.jobs = {}
        self.last = 0
        self.gone = False
        self.boot_id = None
        threading.Thread(target=self._read, daemon=True).start()

    def _exactly(self, length):
        data = bytearray()
        while len(data) < length:
            part = self.sock.recv(length - len(data))
            if not part:
                raise OSError("closed")
            data += part
        return bytes(data)

    def _read(self):
        try:
            while True:
                length, number, kind = HEADER.unpack(self._exactly(HEADER.size))
                payload = self._exactly(length)
                with self.changed:
                    self._take(number, chr(kind), payload)
                    self.changed.notify_all()
        except OSError:
            pass
        with self.changed:
            self.gone = True
            self.changed.notify_all()

    def _take(self, number, kind, payload):
        if kind == "H":
            self.boot_id = payload.decode().strip()
            return
        job = self.jobs.get(number)
        if not job:
            return
        if kind == "O":
            job._output += payload
        elif kind == "X":
            job.rc, = struct.unpack("<i", payload)
            del self.jobs[number]

    def send(self, number, kind, payload):
        with self.sending:
            try:
                self.sock.sendall(HEADER.pack(len(payload), number, ord(kind)) + payload)
            except OSError as error:
                raise HostGone(f"{self.name} is gone") from error

    def wait_hello(self, timeout):
        deadline = time.monotonic() + timeout
        with self.changed:
            while self.boot_id is None:
                left = deadline - time.monotonic()
                if self.gone or left <= 0:
                    return False
                self.changed.wait(left)
        return True

    def start(self, command, has_input=False):
        with self.changed:
            self.last += 1
            job = Job(self, self.last, command, self.log)
            self.jobs[job.number] = job
        self.send(job.number, "R", command.encode())
        if not has_input:
            job.end_input()
        return job

    def close(self):
        self.sock.close()
