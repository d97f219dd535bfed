# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests what is printed about a scenario that failed."""

import tempfile
import types
import unittest
from pathlib import Path

from machine import needs, runner, scenario


def lines_of(body):
    """Return the lines that are printed about a scenario with this body."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scenarios/it_fails.py"
        path.parent.mkdir()
        path.write_text(f'"""It fails."""\n\n\ndef scenario(rig):\n    {body}\n')
        try:
            scenario.load(path)[0].run(None)
        except Exception as error:
            return runner.reason_lines(error)
    raise AssertionError("the scenario did not fail")


class Reasons(unittest.TestCase):
    def test_an_assert_without_a_message_shows_its_line(self):
        self.assertEqual(lines_of("assert len('ab') == 3"), ["AssertionError", "line 5: assert len('ab') == 3"])

    def test_a_failure_below_the_scenario_shows_the_scenarios_line(self):
        self.assertEqual(lines_of("int('x')")[-1], "line 5: int('x')")
        self.assertEqual(lines_of("__import__('json').loads('{')")[-1], "line 5: __import__('json').loads('{')")

    def test_a_long_reason_is_cut_and_keeps_the_line(self):
        lines = lines_of("raise AssertionError('x\\n' * 100)")
        self.assertEqual(lines[runner.LONGEST_REASON:], ["...", "line 5: raise AssertionError('x\\n' * 100)"])


class Verdicts(unittest.TestCase):
    """The result of a scenario that the rig could run."""

    def verdict(self, failure, **words):
        with tempfile.TemporaryDirectory() as folder:
            tally = types.SimpleNamespace(say=lambda text: None, folder=Path(folder), took={}, skipped=[],
                                          measured=lambda key, seconds: None, count=lambda where, name: where.append(name))
            lane = runner.Lane(tally)
            lane._attempt = lambda kernel, one, log: failure
            verdict = lane._one("stock", scenario.Scenario("a", **words))
            return verdict, tally.skipped

    def test_a_scenario_that_has_to_fail_fails_with_its_own_words_only(self):
        self.assertEqual(self.verdict(AssertionError("a leak"), must_fail="leak"), (True, []))
        self.assertEqual(self.verdict(AssertionError("no device"), must_fail="leak"), (False, []))
        self.assertEqual(self.verdict(None, must_fail="leak"), (False, []))

    def test_one_that_was_skipped_neither_passed_nor_failed(self):
        self.assertEqual(self.verdict(needs.Skipped("no program nft on server")), (None, [("stock", "a")]))
        self.assertEqual(self.verdict(AssertionError()), (False, []))
        self.assertEqual(self.verdict(None), (True, []))


if __name__ == "__main__":
    unittest.main()
