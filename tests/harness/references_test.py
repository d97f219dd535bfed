# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/REFERENCES.md: each item has an answer and a test that exists, or a reason, and the page is made from the items."""

import re
import subprocess
import tomllib
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
SUBJECTS = tomllib.loads((TOP / "tests/references/items.toml").read_text(encoding="utf-8"))["subject"]
ITEMS = [item for subject in SUBJECTS for item in subject["items"]]
KEYS = {"item", "answer", "test", "part", "left_out"}


class References(unittest.TestCase):
    def test_no_item_is_missing(self):
        self.assertEqual(len(ITEMS), 141)
        names = [item["item"] for item in ITEMS]
        self.assertEqual(len(names), len(set(names)))

    def test_each_item_has_an_answer_and_a_test_or_a_reason(self):
        for item in ITEMS:
            self.assertLessEqual(set(item), KEYS, item["item"])
            if "left_out" in item:
                self.assertFalse({"answer", "test", "part"} & set(item), item["item"])
                self.assertGreater(len(item["left_out"]), 20)
            else:
                self.assertTrue(item.get("answer") and item.get("test"), item["item"])
                self.assertNotEqual(item.get("part"), "")

    def test_each_test_and_each_page_exists(self):
        for item in ITEMS:
            if "test" in item:
                self.assertTrue((TOP / item["test"]).is_file(), item["test"])
            for page in re.findall(r"\b[A-Z_]+\.md\b", " ".join(item.values())):
                self.assertTrue((TOP / "docs" / page).is_file(), page)

    def test_the_page_is_made_from_the_items(self):
        made = subprocess.run([TOP / "tests/references/table", "--check"], stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)


if __name__ == "__main__":
    unittest.main()
