# SPDX-License-Identifier: GPL-2.0-or-later
"""make check counts the results that its parts print, and parts that print none."""

import contextlib
import importlib.machinery
import importlib.util
import io
import sys
import tempfile
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def program(path):
    """Load a program without a suffix as a module."""
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.name, loader))
    loader.exec_module(module)
    return module


check = program(TESTS / "check")


def counts(text, code=0):
    counter = check.Counter()
    for line in text.splitlines(True):
        counter.take(line)
    return counter.end(code)


class Counting(unittest.TestCase):
    def test_tests_of_googletest(self):
        brief = "[  SKIPPED ] Sm.Starts\n[  PASSED  ] 350 tests.\n[  SKIPPED ] 3 tests.\n"
        self.assertEqual(counts(brief), [350, 0, 3])
        self.assertEqual(counts("[  PASSED  ] 1 test.\n[  SKIPPED ] 1 test, listed below:\n[  SKIPPED ] Sm.Starts\n"), [1, 0, 1])
        self.assertEqual(counts("[  PASSED  ] 5 tests.\n[  FAILED  ] 2 tests, listed below:\n\n 2 FAILED TESTS\n", 1), [5, 2, 0])

    def test_lines_of_a_part_add_up(self):
        self.assertEqual(counts("fuzz: 5 passed, 1 failed\nlint: 7 passed, 0 failed, 2 skipped\n", 1), [12, 1, 2])

    def test_a_part_that_says_nothing_is_one_test(self):
        self.assertEqual(counts("hello\n"), [1, 0, 0])
        self.assertEqual(counts("hello\n", 2), [0, 1, 0])
        self.assertEqual(counts("make: *** tests/unit: No such file or directory.  Stop.\n", 2), [0, 1, 0])

    def test_a_part_that_fails_has_a_failure(self):
        self.assertEqual(counts("fuzz: 5 passed, 0 failed\n", 1), [5, 1, 0])


class Running(unittest.TestCase):
    def test_parts_are_run_counted_and_timed(self):
        with tempfile.TemporaryDirectory() as place, contextlib.redirect_stdout(io.StringIO()) as said:
            parts = check.Parts(Path(place))
            self.assertTrue(parts.run("good", [sys.executable, "-c", "print('x: 3 passed, 0 failed, 1 skipped')"]))
            self.assertFalse(parts.run("bad", ["sh", "-c", "exit 3"], True))
            self.assertEqual(parts.tell(1.0), 1)
            self.assertIn("3 passed, 1 failed, 1 skipped", said.getvalue())
            self.assertEqual((Path(place) / "times").read_text().split()[4], "good")
        self.assertGreater(parts.times["good"][1], 0)


if __name__ == "__main__":
    unittest.main()
