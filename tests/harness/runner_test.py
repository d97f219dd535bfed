# SPDX-License-Identifier: GPL-2.0-or-later
"""What is said of a scenario that failed."""

import tempfile
import unittest
from pathlib import Path

from machine import runner, scenario


def lines_of(body):
    """What is said of a scenario with this body."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scenarios/it_fails.py"
        path.parent.mkdir()
        path.write_text(f'"""It fails."""\n\n\ndef scenario(rig):\n    {body}\n')
        try:
            scenario.load(path).run(None)
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


if __name__ == "__main__":
    unittest.main()
