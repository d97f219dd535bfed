# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenario files: their cases, their names, and the choice of --only."""

import tempfile
import unittest
from pathlib import Path

from machine import scenario

ONE = '"""A promise."""\n\n\ndef scenario(rig):\n    rig.append("one")\n'
CASES = '''"""A promise for each transport."""
from machine.cases import case, for_each

TIER = "long"


@for_each(["plain", case("nvme", 4420, TIER="check", KERNELS=("kasan",))])
def scenario(rig, name, port=0):
    rig.append((name, port))
'''


class Files(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.top = Path(place.name)

    def write(self, name, text=ONE):
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def chosen(self, pattern):
        return [f"{one.folder}/{one.name}" for one in scenario.find([self.top]) if scenario.matches(one, pattern)]

    def test_folders_are_walked_and_a_name_exists_once(self):
        self.write("disk/attach.py")
        self.write("nfs/mount.py")
        self.assertEqual(self.chosen(""), ["disk/attach", "nfs/mount"])
        self.write("nfs/attach.py")
        with self.assertRaisesRegex(SyntaxError, "disk/ has a scenario of this name"):
            self.chosen("")

    def test_a_pattern_fits_the_name_or_the_folder_and_the_name(self):
        self.write("disk/attach.py")
        self.write("nfs/attach_nothing.py")
        self.write("nfs/by.py", CASES)
        self.assertEqual(self.chosen("^attach"), ["disk/attach", "nfs/attach_nothing"])
        self.assertEqual(self.chosen("^disk/"), ["disk/attach"])
        self.assertEqual(self.chosen("^disk/att"), ["disk/attach"])
        self.assertEqual(self.chosen("by[nvme]"), ["nfs/by[nvme]"])
        self.assertEqual(self.chosen("nfs/by"), ["nfs/by[plain]", "nfs/by[nvme]"])

    def test_a_scenario_that_no_run_would_take_is_refused(self):
        self.write("disk/attach.py")
        self.assertIn(self.top / "disk", scenario.folders(place=self.top))
        self.write("attach.py")
        with self.assertRaisesRegex(SyntaxError, "folder of its subject"):
            scenario.folders(place=self.top)

    def test_each_case_is_a_scenario_with_its_own_values_and_declarations(self):
        self.write("by.py", CASES)
        plain, nvme = scenario.find([self.top])
        ran = []
        for one in (plain, nvme):
            one.run(ran)
        self.assertEqual(ran, [("plain", 0), ("nvme", 4420)])
        self.assertEqual((plain.tier, plain.tiers), ("long", {"stock": "long"}))
        self.assertEqual((nvme.tier, nvme.tiers), ("check", {"kasan": "check"}))
        self.assertEqual(nvme.promise, "A promise for each transport.")

    def test_a_whole_name_is_that_of_the_file_too(self):
        self.write("by.py", CASES)
        plain, nvme = scenario.find([self.top])
        self.assertTrue(plain.called("by") and nvme.called("by") and nvme.called("by[nvme]"))
        self.assertFalse(plain.called("by[nvme]") or plain.called("") or plain.called("b"))

    def test_two_cases_of_one_name_are_refused(self):
        self.write("by.py", CASES.replace("nvme", "plain"))
        with self.assertRaisesRegex(SyntaxError, "same name"):
            scenario.find([self.top])


if __name__ == "__main__":
    unittest.main()
