# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests which frames the switch between hosts forwards, holds and releases, without any machine."""

import socket
import tempfile
import unittest
from pathlib import Path

from machine.network import Switch

HOSTS = ("a", "b", "c")
MAC = {host: bytes([2, 0, 0, 0, 0, number]) for number, host in enumerate(HOSTS)}
HEADER = 14


class Switching(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)
        self.switch = Switch(0, HOSTS, self.place)
        self.addCleanup(self.switch.close)
        self.ends = {}
        for host in HOSTS:
            end = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            end.bind(str(self.place / f"link0-{host}"))
            end.settimeout(10)
            self.addCleanup(end.close)
            self.ends[host] = end
        # Each host sends a broadcast, so that the switch learns the places of all hosts.
        for host in HOSTS:
            self.send(host, b"hello")
            for other in HOSTS:
                if other != host:
                    self.assertEqual(self.receive(other), b"hello")

    def send(self, source, text, target=None):
        frame = (MAC[target] if target else b"\xff" * 6) + MAC[source] + b"\x08\x00" + text
        self.ends[source].sendto(frame, str(self.place / f"switch0-{source}"))

    def receive(self, host):
        return self.ends[host].recv(65536)[HEADER:]

    def keep(self, *texts):
        """Send frames from a to b that the switch has to hold, and wait until it has them."""
        for text in texts:
            self.send("a", text, "b")
        while not self.switch.count("a", texts[-1]):
            pass

    def test_only_the_host_that_is_held_waits(self):
        self.switch.hold("a")
        self.keep(b"1", b"2")
        self.send("c", b"other", "b")
        self.assertEqual(self.receive("b"), b"other")
        self.assertEqual((self.switch.count("a"), self.switch.count("a", b"2")), (2, 1))

    def test_what_is_released_comes_first_and_in_order(self):
        self.switch.hold("a")
        self.keep(b"1", b"2")
        self.assertEqual(self.switch.release("a"), 2)
        self.send("a", b"3", "b")
        self.assertEqual([self.receive("b") for _ in range(3)], [b"1", b"2", b"3"])

    def test_later_frames_overtake_what_stays(self):
        self.switch.hold("a")
        self.keep(b"1")
        self.switch.overtake("a")
        self.send("a", b"2", "b")
        self.assertEqual(self.receive("b"), b"2")
        self.assertEqual(self.switch.release("a"), 1)
        self.assertEqual(self.receive("b"), b"1")

    def test_a_host_that_takes_nothing_keeps_no_other_waiting(self):
        # These are more frames than a socket's queue holds.
        for _ in range(100):
            self.send("a", b"x" * 1000, "b")
        self.send("a", b"y", "c")
        self.assertEqual(self.receive("c"), b"y")
        for _ in range(100):
            self.assertEqual(self.receive("b"), b"x" * 1000)


if __name__ == "__main__":
    unittest.main()
