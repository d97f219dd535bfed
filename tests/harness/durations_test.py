# SPDX-License-Identifier: GPL-2.0-or-later
"""Durations of scenarios: their sources, and the order and the estimate that they determine."""

import tempfile
import unittest
from pathlib import Path

from machine import durations, plan
from machine.scenario import Scenario
from machine.topology import pair


class Known(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.kept, self.measured = Path(place.name) / "kept.json", Path(place.name) / "cache/measured.json"
        self.kept.write_text('{"a stock": 10, "b stock": 20, "gone stock": 5}')

    def read(self):
        return durations.Durations(self.kept, self.measured)

    def test_what_was_measured_goes_before_what_is_kept(self):
        self.assertEqual(self.read().scenario("a", "stock"), 10)
        self.read().keep("a stock", 33.33)
        self.assertEqual((self.read().scenario("a", "stock"), self.read().scenario("b", "stock")), (33.3, 20))

    def test_two_runs_at_once_lose_nothing(self):
        first, second = self.read(), self.read()
        first.keep("x stock", 1)
        second.keep("y stock", 2)
        self.assertEqual((first.known["x stock"], self.read().known["x stock"], self.read().known["y stock"]), (1, 1, 2))

    def test_broken_and_missing_files_are_no_reason_not_to_run(self):
        for text in ("", "[1]", '{"a stock": "soon"}', "{"):
            self.kept.write_text(text)
            self.assertEqual(self.read().scenario("a", "stock"), durations.UNKNOWN["stock"])
        self.kept.unlink()
        self.assertGreater(self.read().scenario("a", "trixie"), 0)

    def test_the_kept_file_has_what_is_there(self):
        known = self.read()
        known.keep("a stock", 12.6)
        known.write_kept([Scenario("a"), Scenario("b", tiers={"kasan": "ci"})])
        self.assertEqual(self.kept.read_text(), '{\n"a stock": 13\n}\n')

    def test_the_longest_boot_starts_first(self):
        known = self.read()
        for name, seconds in (("a", 5), ("b", 6), ("c", 300), ("d", 200)):
            known.keep(f"{name} stock", seconds)
        some = [Scenario("a"), Scenario("b"), Scenario("c", topology=pair(links=2)), Scenario("d", topology=pair(links=3))]
        groups = plan.plan(some, known)
        self.assertEqual([group[0][1].name for group in groups][:2], ["c", "d"])
        self.assertEqual(sum(map(len, groups)), 4)
        boot = durations.BOOT["stock"] * 2
        self.assertEqual(known.lanes(groups, 2), 300 + boot)
        self.assertEqual(known.lanes(groups, 1), 511 + 3 * boot)


if __name__ == "__main__":
    unittest.main()
