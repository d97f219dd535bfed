# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests the lint of documents, comments and strings."""

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
            self.assertEqual(faults(text, "include/x.h"), [], text)

    def test_a_comment_behind_literals_is_read(self):
        for text in ("c = '\"'; // nobody\n", 'f("\\\\"); /* nobody */\n', "n = 1'000; // nobody\n", 'R"x()" // )x"; // nobody\n'):
            self.assertEqual(len(faults(text, "user/x.cpp")), 1, text)

    def test_strings_that_users_read_are_read(self):
        for text in ('f("a word that is\\n"\n  "not to be had here");\n', 'f("nobody\\twaits");\n',
                     'f(R"(Nobody waits)");\n', 'f("a \\"quotation\\" of nobody");\n', 'f("x", "told"\n"\\nof");\n'):
            for name in ("kmod/x.c", "user/verbs/x.cpp"):
                self.assertEqual(len(faults(text, name)), 1, text)
        self.assertEqual(faults('a;\nf("not to be "\n  "had");\n', "kmod/x.c"), ['kmod/x.c:2: "to be had"; write: available'])

    def test_strings_of_tests_names_and_quotations_may_have_it(self):
        for name in ("tests/unit/x.cpp", "user/tests/x.cpp", "include/x.h"):
            self.assertEqual(faults('f("Nobody waits");\n', name), [])
        for text in ('#include "nfs/nobody.h"\n', 'json["nobody"] = lent;\n', 'f("the kernel says \\"nobody cared\\"");\n', 'f("the user `nobody`");\n',
                     'g("told", "of");\n'):
            self.assertEqual(faults(text, "user/x.cpp"), [], text)

    def test_a_page_that_names_an_adapter_says_that_none_was_run(self):
        for adapter in ("mlx5_0", "mlx4_core", "A ConnectX-5", "hfi1", "ib_qib", "bnxt_re", "irdma"):
            found = faults(f"# X\n\n    {adapter}\n")
            self.assertEqual(len(found), 1, adapter)
            self.assertTrue(found[0].startswith("docs/X.md:3: names "), found)
            self.assertEqual(faults(f"# X\n\nIt was not run\non hardware.\n\n    {adapter}\n"), [])
            self.assertEqual(faults(f"{adapter}\n", "README.md"), [])

    def test_manual_pages_are_read_and_have_long_lines(self):
        self.assertEqual(len(faults("*undo*\n\tNobody waits.\n", "man/x.8.scd")), 1)
        self.assertEqual(faults("a " * 60 + "\n```\n# nobody\n```\n", "man/x.8.scd"), [])


if __name__ == "__main__":
    unittest.main()
