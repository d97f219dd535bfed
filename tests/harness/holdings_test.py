# SPDX-License-Identifier: GPL-2.0-or-later
"""A scenario fails if it leaves something on a host, unless it declared the kind."""

import types
import unittest

from machine import holdings, scenario

HOST = types.SimpleNamespace(name="client")
BEFORE = {"device eth0", "mount / overlay"}


class Judging(unittest.TestCase):
    def left(self, now, leaves=()):
        """Return the error for a host that holds this afterwards; nothing if the scenario may leave
        it."""
        try:
            holdings.judge(HOST, BEFORE, now, leaves)
        except holdings.LeftBehind as error:
            return str(error)
        return ""

    def test_a_host_that_holds_what_it_held_or_less_passes(self):
        self.assertEqual(self.left(BEFORE), "")
        self.assertEqual(self.left({"mount / overlay"}), "")

    def test_the_failure_names_the_host_and_all_that_was_left(self):
        self.assertEqual(self.left({*BEFORE, "mount /mnt tmpfs", "export m"}), "client: left behind: export m, mount /mnt tmpfs")

    def test_kinds_that_were_declared_are_left_to_the_rig(self):
        now = {*BEFORE, "mount /mnt tmpfs", "export m"}
        self.assertEqual(self.left(now, {"export"}), "client: left behind: mount /mnt tmpfs")
        self.assertEqual(self.left(now, {"export", "mount"}), "")

    def test_only_kinds_that_there_are_can_be_declared(self):
        self.assertEqual(scenario.leaves_of(types.SimpleNamespace(LEAVES=("export",))), ("export",))
        with self.assertRaises(SyntaxError):
            scenario.leaves_of(types.SimpleNamespace(LEAVES=("exports",), __file__="x.py"))


if __name__ == "__main__":
    unittest.main()
