# SPDX-License-Identifier: GPL-2.0-or-later
"""The configuration of a debug kernel is compared with what the repository states."""

import tempfile
import unittest
from pathlib import Path

from machine import config


class Differences(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        (self.folder / "base.config").write_text("CONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\nCONFIG_D=n\nCONFIG_E=16\n")
        (self.folder / "kasan.config").write_text('CONFIG_B=y\nCONFIG_NAME="-kasan"\n')
        (self.folder / "tolerated").write_text("# why\nCONFIG_A  # older\n")
        self.good = 'CONFIG_A=y\nCONFIG_B=y\n# CONFIG_C is not set\nCONFIG_E=16\nCONFIG_NAME="-kasan"\nCONFIG_MORE=y\n'

    def found(self, built):
        return [sentence.split()[0] for sentence in config.differences("kasan", built, self.folder)]

    def test_a_kernel_that_has_more_is_as_stated(self):
        self.assertEqual(self.found(self.good), [])

    def test_each_stated_option_is_compared(self):
        for now, then, option in (("B=y", "B=m", "CONFIG_B"), ("# CONFIG_C is not set", "CONFIG_C=y", "CONFIG_C"),
                                  ("E=16", "E=17", "CONFIG_E"), ("CONFIG_B=y\n", "", "CONFIG_B"),
                                  ("CONFIG_MORE", "CONFIG_D", "CONFIG_D"), ('"-kasan"', '"-kasan2"', "CONFIG_NAME")):
            self.assertEqual(self.found(self.good.replace(now, then)), [option], now)

    def test_only_listed_options_may_differ(self):
        self.assertEqual(self.found(self.good.replace("CONFIG_A=y\n", "")), [])
        self.assertEqual(self.found(""), ["CONFIG_B", "CONFIG_E", "CONFIG_NAME"])

    def test_an_exception_needs_a_reason(self):
        (self.folder / "tolerated").write_text("CONFIG_A\n")
        with self.assertRaises(ValueError):
            self.found(self.good)

    def test_the_repositorys_own_files_can_be_read(self):
        for name in config.DEBUG:
            self.assertGreater(len(config.stated(name)), 100)
        self.assertLessEqual(config.tolerated(), set(config.stated("kasan")))


if __name__ == "__main__":
    unittest.main()
