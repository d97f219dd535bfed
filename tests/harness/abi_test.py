# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests the generator of the netlink interface: it detects files that differ, and refuses a
description that contradicts itself."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


class Generator(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.top = Path(place.name)
        shutil.copytree(TOP / "abi", self.top / "abi")
        self.description = self.top / "abi/causeway.yaml"
        made = subprocess.run([TOP / "abi/generate", "--names"], check=True, capture_output=True, text=True).stdout.split()
        for name in made:
            (self.top / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / name, self.top / name)
        self.made = made

    def run_it(self, *options):
        done = subprocess.run(["/usr/bin/python3", self.top / "abi/generate", *options], check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def replace(self, old, new):
        text = self.description.read_text()
        self.assertEqual(text.count(old), 1, old)
        self.description.write_text(text.replace(old, new))

    def text(self, name):
        return (self.top / name).read_text()

    def test_the_kept_files_are_as_they_are_made(self):
        self.assertEqual(self.run_it("--check"), (0, ""))

    def test_each_file_that_differs_is_found_and_made_again(self):
        for name in self.made:
            path = self.top / name
            kept = path.read_text()
            path.write_text(kept + "more\n")
            code, said = self.run_it("--check")
            self.assertEqual(code, 1)
            self.assertEqual(said, f"{name} differs from what abi/generate makes: run abi/generate\n")
            self.assertEqual(self.run_it(), (0, f"{name}\n"))
            self.assertEqual(path.read_text(), kept)

    def test_an_attribute_of_a_request_gets_a_number_and_a_policy(self):
        self.replace("  -\n    name: limits\n", "      - {name: favour, type: u16, checks: {min: 2, max: 9}, doc: why}\n"
                                                "  -\n    name: limits\n")
        self.replace("fast-fail, disk-path, path-policy, identity]", "fast-fail, disk-path, path-policy, identity, favour]")
        self.run_it()
        self.assertIn("CW_A_FAVOUR, /* u16, 2 to 9: why */\n\t__CW_A_MAX", self.text("include/uapi/causeway.h"))
        self.assertIn("[CW_A_FAVOUR] = NLA_POLICY_RANGE(NLA_U16, 2, 9)", self.text("kmod/core/netlink/policy.c"))
        self.assertIn("| `favour` | u16, 2 to 9 | why |", self.text("docs/NETLINK.md"))
        self.assertIn("    // why\n    std::optional<std::uint16_t> favour;\n", self.text("user/machine/messages.h"))
        self.assertIn("    visit(CW_A_FAVOUR, message.favour);\n", self.text("user/kernel/message_attributes.h"))
        self.assertIn('{"favour", CW_A_FAVOUR, Kind::u16}', self.text("tests/vm/netlink/names.h"))

    def test_an_event_and_a_counter_get_a_name(self):
        self.replace("- {name: readmitted, value: 21,", "- {name: renamed, value: 22}\n      - {name: readmitted, value: 21,")
        self.replace("- {name: bare-sends, type: u64,", "- {name: naps, type: u64}\n      - {name: bare-sends, type: u64,")
        self.run_it()
        names = self.text("user/show/netlink_names.h")
        self.assertIn('NetlinkName{CW_EVENT_RENAMED, "renamed"},', names)
        self.assertIn('NetlinkName{CW_N_NAPS, "naps"},', names)

    def test_an_attribute_of_answers_alone_is_no_part_of_a_request(self):
        self.assertIn("CW_A_OPENERS", self.text("include/uapi/causeway.h"))
        self.assertNotIn("CW_A_OPENERS", self.text("kmod/core/netlink/policy.c"))

    def test_a_change_is_for_administrators(self):
        self.assertIn("{ .cmd = CW_C_DETACH, .doit = cw_netlink_change }", self.text("kmod/core/netlink/policy.c"))

    def test_contradictions_are_refused(self):
        for old, new, said in (
                ("attributes: [name, force]", "attributes: [name, forced]", "export-remove uses the unknown attribute forced"),
                ("- {name: force, type: flag,", "- {name: name, type: flag,", "cw_attribute has twice: name"),
                ("- {name: force, type: flag,", "- {name: force, type: flak,", "force has the unknown type flak"),
                ("{name: role, type: u8, enum: role,", "{name: role, type: u8, enum: roll,", "role has the unknown enum roll"),
                ("max: wire-depth-max", "max: wire-deep-max", "wire-deep-max is no constant"),
                ("nested-attributes: counters,", "nested-attributes: pointers,", "counters nests no known set"),
                ("{name: written-bytes, type: u64,", "{name: written-bytes, type: u32,", "written-bytes is no u64")):
            kept = self.description.read_text()
            self.replace(old, new)
            code, found = self.run_it("--check")
            self.assertEqual(code, 1, said)
            self.assertIn(said, found)
            self.description.write_text(kept)

    def test_a_struct_of_unknown_attributes_is_refused(self):
        structs = self.top / "abi/command.yaml"
        structs.write_text(structs.read_text().replace("without: [local-address,", "without: [lokal-address,"))
        code, found = self.run_it("--check")
        self.assertEqual(code, 1)
        self.assertIn("AttachRequest: without has the unknown attribute lokal-address", found)


if __name__ == "__main__":
    unittest.main()
