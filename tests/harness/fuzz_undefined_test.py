# SPDX-License-Identifier: GPL-2.0-or-later
"""A fuzz target that calls a function which no linked file defines is not built, but the files of its parsers may call such
functions elsewhere."""

import subprocess
import tempfile
import unittest
from pathlib import Path

UNDEFINED = Path(__file__).resolve().parents[1] / "fuzz/undefined"
TARGET = "namespace causeway { int parse(int); } int fuzz(int x) { return causeway::parse(x); }"
# The function of a verb is in the file of a parser. Only a table names it.
PARSER = """
namespace causeway {
int number_of(int);
int carry_out(int);
static int run(int x) { return carry_out(x); }
int (*const verbs[])(int) = {run};
int parse(int x) { return number_of(x); }
}
"""
NUMBERS = "namespace causeway { int number_of(int x) { return x + 1; } }"


class Undefined(unittest.TestCase):
    def judge(self, **files):
        """Compile the files and return the exit code of undefined, and its output."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "targets").mkdir()
            objects = []
            for each, text in files.items():
                objects.append(folder / ("targets" if each == "text" else ".") / f"{each}.o")
                subprocess.run(["g++", "-x", "c++", "-O0", "-fPIE", "-ffunction-sections", "-c", "-o", objects[-1], "-"], input=text, text=True,
                               check=True)
            said = subprocess.run([UNDEFINED, *objects], text=True, capture_output=True, check=False)
            return said.returncode, said.stdout + said.stderr

    def test_only_functions_that_the_target_reaches_count(self):
        self.assertEqual(self.judge(text=TARGET, parser=PARSER, numbers=NUMBERS), (0, ""))

    def test_a_missing_parser_is_named(self):
        code, said = self.judge(text=TARGET, numbers=NUMBERS)
        self.assertEqual(code, 1)
        self.assertIn("fuzz: text calls causeway::parse(int), which no linked file defines", said)

    def test_a_missing_part_of_a_parser_is_named_with_the_way_to_it(self):
        code, said = self.judge(text=TARGET, parser=PARSER)
        self.assertEqual(code, 1)
        self.assertIn("causeway::number_of(int), which no linked file defines", said)
        self.assertIn("(by causeway::parse(int), from fuzz(int))", said)
        self.assertNotIn("carry_out", said)

    def test_a_call_without_a_target_is_a_mistake(self):
        self.assertEqual(self.judge(parser=PARSER)[0], 1)


if __name__ == "__main__":
    unittest.main()
