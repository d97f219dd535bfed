# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests the lint of documents and comments."""

import importlib.machinery
import importlib.util
import unittest
from pathlib import Path

PLACE = Path(__file__).resolve().parents[1] / "lint/prose"
loader = importlib.machinery.SourceFileLoader("prose", str(PLACE))
prose = importlib.util.module_from_spec(importlib.util.spec_from_loader("prose", loader))
loader.exec_module(prose)


def faults(text, name="docs/X.md"):
    return list(prose.faults(name, text))


class Prose(unittest.TestCase):
    def test_a_long_line_is_found(self):
        self.assertEqual(faults("a " * 50), [])
        self.assertEqual(faults("a" + " b" * 50), ["docs/X.md:1: 101 columns; 100 are the limit"])

    def test_what_cannot_be_broken_may_be_long(self):
        for text in ("| a " * 30, "x" * 120, "    " + "code " * 30, "```\n" + "code " * 30 + "\n```\n", "# " + "a " * 60):
            self.assertEqual(faults(text), [], text)

    def test_a_phrase_is_found_as_a_word_in_any_case(self):
        self.assertEqual(len(faults("The server tells of it.\nSilent. Nobody knows.\n")), 2)
        self.assertEqual(faults("An amendment, a solvent, a blend.\n"), [])

    def test_code_quotations_and_the_vocabulary_may_have_it(self):
        self.assertEqual(faults('The user `nobody` and the word "mend".\n'), [])
        self.assertEqual(faults("mend\n", "docs/VOCABULARY.md"), [])

    def test_comments_of_sources_are_read(self):
        for text in ("/*\n * Nobody waits.\n */\n", "int a;\nint b; // nobody uses it\n"):
            for name in ("kmod/x.c", "include/x.h", "user/x.cpp"):
                found = faults(text, name)
                self.assertEqual([fault.casefold().partition(";")[0] for fault in found], [f'{name}:2: "nobody"'])

    def test_code_of_sources_may_have_it(self):
        for text in ("int lent = nobody;\n", 'f("// nobody");\n', "char *p = R\"(/* nobody */)\";\n", "c = '\"'; nobody(); d = '\"';\n",
                     "n = 1'000; nobody(); m = 1'000;\n", "/* @lent: segments, cw_lent() and \"nobody\" */\n", "// " + "a " * 60):
            self.assertEqual(faults(text, "kmod/x.c"), [], text)

    def test_a_comment_behind_literals_is_read(self):
        for text in ("c = '\"'; // nobody\n", 'f("\\\\"); /* nobody */\n', "n = 1'000; // nobody\n", 'R"x()" // )x"; // nobody\n'):
            self.assertEqual(len(faults(text, "user/x.cpp")), 1, text)


if __name__ == "__main__":
    unittest.main()
