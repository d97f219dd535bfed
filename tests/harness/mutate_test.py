# SPDX-License-Identifier: GPL-2.0-or-later
"""Each kept mutation still applies to the sources, and says what was seen of it or why there is no test."""

import unittest
from pathlib import Path

from check_test import program

TESTS = Path(__file__).resolve().parents[1]
mutate = program(TESTS / "mutate")


class Mutations(unittest.TestCase):
    def test_each_applies(self):
        self.assertEqual([each["id"] for each in mutate.mutations() if not mutate.applies(each)], [])

    def test_each_says_what_was_seen_or_why_there_is_no_test(self):
        self.assertEqual([each["id"] for each in mutate.mutations() if not each["seen"]], [])
