# SPDX-License-Identifier: GPL-2.0-or-later
"""Each kept mutation still applies to the sources, and states the result of its test or why there
is no test. The modules are built for the kernel on which its scenario runs."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from check_test import program

TESTS = Path(__file__).resolve().parents[1]
mutate = program(TESTS / "mutate")      # this also puts tests/vm into the path

from machine.kernel import NAMES                    # noqa: E402


class Mutations(unittest.TestCase):
    def test_each_applies(self):
        self.assertEqual([each["id"] for each in mutate.mutations() if not mutate.applies(each)], [])

    def test_each_says_what_was_seen_or_why_there_is_no_test(self):
        self.assertEqual([each["id"] for each in mutate.mutations() if not each["seen"]], [])

    def test_each_is_for_a_kernel_that_there_is(self):
        self.assertEqual({each.get("kernel", "stock") for each in mutate.mutations()} - {*NAMES, "kcsan"}, set())


class Judging(unittest.TestCase):
    def judged(self, kernel, codes, said):
        """Return the verdict if commands end with these codes and the scenarios print this, and the
        commands."""
        commands = []

        def run(command, log):
            commands.append(command)
            log.write_text(said)
            return codes[len(commands) - 1]

        with tempfile.TemporaryDirectory() as folder, mock.patch.object(mutate, "run", run):
            return mutate.judge_scenarios({"a"}, kernel, ["vm"], Path(folder) / "log")["a"], commands

    def test_the_modules_of_another_release_are_built_in_it(self):
        verdict, commands = self.judged("trixie", [0, 1], "FAIL a\nfailed: a\n")
        self.assertEqual(verdict, mutate.NOTICED)
        self.assertEqual(commands, [["tests/kernels/suite", "trixie"],
                                    ["vm", "--tier", "long", "--only", "^(a)$", "--kernel", "trixie"]])

    def test_those_of_the_rig_are_built_by_make(self):
        verdict, commands = self.judged("kasan", [0, 0], "ok   a\n")
        self.assertEqual(verdict, mutate.UNNOTICED)
        self.assertEqual(commands[0], ["make", "guest-modules", "KERNEL=kasan"])

    def test_what_was_not_built_or_not_run_is_neither(self):
        self.assertEqual(self.judged("trixie", [1], "failed: a\n"), (mutate.BROKEN, [["tests/kernels/suite", "trixie"]]))
        self.assertEqual(self.judged("trixie", [0, 0], "")[0], mutate.BROKEN)
