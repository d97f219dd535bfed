# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/REFERENCES.md: each item has an answer and a test that exists, or a reason, and the page is made from the items."""

import itertools
import re
import subprocess
import tomllib
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
SUBJECTS = tomllib.loads((TOP / "tests/references/items.toml").read_text(encoding="utf-8"))["subject"]
ITEMS = [item for subject in SUBJECTS for item in subject["items"]]
KEYS = {"item", "answer", "says", "test", "part", "hardware", "left_out"}
# The effect of these verbs and findings is one of an adapter, a port, a link or a subnet.
OF_ADAPTERS = ("fabric", "fix", "ipoib", "name", "pfc", "port", "roce", "show", "sm")
FINDINGS_OF_ADAPTERS = ("adapter-", "firmware-", "ipoib-", "partition-", "port-", "roce-")
# The device of these items is one by software.
BY_SOFTWARE = ("RHEL 8: verification by ibv_devices and ibstat",)
# A scenario is a test by itself.
TESTS = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)|^ +def (test_\w+)\(", re.MULTILINE)
CASES = re.compile(r"\bcase\(\"([^\"]+)\"|^def (\w+)\(", re.MULTILINE)


def text(name):
    return (TOP / name).read_text(encoding="utf-8")


def tests_in(name):
    """Return the names of the tests in a file: of gtest, of unittest, or the cases of a scenario."""
    if name.startswith("tests/vm/scenarios/"):
        source = text(name)
        # A case may have the name of its function.
        return {case or function for case, function in CASES.findall(source)} if "@for_each" in source else set()
    return {f"{suite}.{test}" if suite else method for suite, test, method in TESTS.findall(text(name))}


def sources():
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((TOP / "user").rglob("*.[ch]*"))
                     if "tests" not in path.parts)


SOURCES = sources()
# "export add", in the table of verbs of a file.
VERBS = {tuple(words.split()) for words in re.findall(r"\.words = \"([^\"]+)\"", SOURCES)}
# Options are in braces, {"soft", "NETDEV", ...}, and a few have the name of a constant.
OPTIONS = set(re.findall(r"\{\s*\"([a-z][a-z-]*)\"\s*,", SOURCES))
FINDINGS = set(re.findall(r"^### (\S+)$", text("docs/DOCTOR.md"), re.MULTILINE))


def ticked(item):
    return re.findall(r"`([^`]+)`", item.get("answer", ""))


def findings(item):
    """Return the identifiers of doctor that an item names: words in lower case with a hyphen."""
    return [words for words in ticked(item) if re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", words)]


def is_verb(words):
    """Return whether words begin with a verb, or are the first words of verbs: `sm`, `sm partition`, `soft add rxe`."""
    words = tuple(itertools.takewhile(re.compile(r"[a-z]").match, words))
    return any(verb == words[:len(verb)] or (words and words == verb[:len(words)]) for verb in VERBS)


def section(page, title):
    """Return the text below a title, up to the next one."""
    return re.search(rf"(?ms)^#+ {re.escape(title)}$(.*?)(?=^#+ |\Z)", page).group(1)


class References(unittest.TestCase):
    def test_no_item_is_missing(self):
        self.assertEqual(len(ITEMS), 141)
        names = [item["item"] for item in ITEMS]
        self.assertEqual(len(names), len(set(names)))

    def test_each_item_has_an_answer_and_a_test_or_a_reason(self):
        for item in ITEMS:
            self.assertLessEqual(set(item), KEYS, item["item"])
            if "left_out" in item:
                self.assertFalse({"answer", "test", "part", "hardware"} & set(item), item["item"])
                self.assertGreater(len(item["left_out"]), 20)
            else:
                self.assertTrue(item.get("answer") and item.get("test"), item["item"])
                self.assertNotEqual(item.get("part"), "")

    def test_each_test_and_each_page_exists(self):
        for item in ITEMS:
            if "test" in item:
                name, _, test = item["test"].partition(": ")
                self.assertTrue((TOP / name).is_file(), name)
                there = tests_in(name)
                if test:
                    self.assertIn(test, there, item["item"])
                elif not name.startswith("tests/vm/"):
                    self.assertLess(len(there), 2, f"{item['item']}: {name} has many tests")
            for page in re.findall(r"\b[A-Z_]+\.md\b", " ".join(str(value) for value in item.values())):
                self.assertTrue((TOP / "docs" / page).is_file(), page)

    def test_each_verb_option_and_finding_exists(self):
        seen = {"verbs": 0, "options": 0, "findings": 0}
        for item in ITEMS:
            for words in ticked(item):
                if words in findings(item):
                    self.assertIn(words, FINDINGS, item["item"])
                    seen["findings"] += 1
                    continue
                if not words.startswith("-"):
                    self.assertTrue(is_verb(words.split()), f"{item['item']}: {words}")
                    seen["verbs"] += 1
                for option in re.findall(r"--([a-z-]+)", words):
                    self.assertIn(option, OPTIONS, f"{item['item']}: {words}")
                    seen["options"] += 1
        self.assertGreater(min(seen.values()), 20, seen)

    def test_an_unknown_verb_is_none(self):
        for words in ("frobnicate", "sm frobnicate", "partition add", "partition", "--rate"):
            self.assertFalse(is_verb(words.split()), words)
        for words in ("sm", "sm partition", "sm enable PORT...", "soft add rxe", "export add --via"):
            self.assertTrue(is_verb(words.split()), words)

    def test_what_depends_on_an_adapter_was_not_run_on_hardware(self):
        for item in ITEMS:
            named = {words.split()[0] for words in ticked(item)}
            of_adapter = named & set(OF_ADAPTERS) or any(name.startswith(FINDINGS_OF_ADAPTERS) for name in findings(item))
            if of_adapter and item["item"] not in BY_SOFTWARE:
                self.assertTrue(item.get("hardware"), item["item"])
            self.assertNotIn("hardware", item.get("part", ""), "the table adds these words")

    def test_pages_that_items_name_have_their_sections(self):
        for item in ITEMS:
            titles = re.findall(r"\"([^\"]+)\"", item.get("answer", ""))
            for title in titles:
                page = re.search(r"[A-Z_]+\.md", item["answer"]).group()
                self.assertRegex(text(f"docs/{page}"), rf"(?m)^#+ {re.escape(title)}$", item["item"])
            if item.get("test", "").endswith("test_pages_that_items_name_have_their_sections"):
                self.assertTrue(titles and item["says"], item["item"])
                sections = " ".join(section(text(f"docs/{page}"), title) for title in titles)
                for words in item["says"]:
                    self.assertIn(words, " ".join(sections.split()), item["item"])

    def test_the_page_is_made_from_the_items(self):
        made = subprocess.run([TOP / "tests/references/table", "--check"], stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)


if __name__ == "__main__":
    unittest.main()
