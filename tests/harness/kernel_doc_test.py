# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests the lint of kernel-doc: it detects functions without a description, missing arguments and a
missing context."""

import subprocess
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parents[1] / "lint/kernel_doc"
DESCRIBED = """/**
 * cw_link_kill() - mark a link as dead
 * @link: link
 *
 * Context: Any context.
 * Return: True if this call killed it.
 */
bool cw_link_kill(struct cw_link *link);
"""


class Headers(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.top = Path(place.name)

    def check(self, text, name="kmod/core/link/link.h"):
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        done = subprocess.run([CHECK, self.top], check=False, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return done.stdout.splitlines()

    def test_a_described_function_passes(self):
        self.assertEqual(self.check("struct cw_link {\n\tvoid (*down)(struct cw_link *link);\n};\n\n" + DESCRIBED), [])

    def test_a_function_without_kernel_doc_fails(self):
        self.assertEqual(self.check(DESCRIBED + "\n/* Any context. */\nvoid cw_link_free(struct cw_link *link);\n"),
                         ["kmod/core/link/link.h:11: cw_link_free() has no kernel-doc"])

    def test_an_inline_function_without_kernel_doc_fails(self):
        self.assertEqual(self.check("static inline bool cw_link_is_dead(const struct cw_link *link)\n{\n\treturn link->dead;\n}\n"),
                         ["kmod/core/link/link.h:1: cw_link_is_dead() has no kernel-doc"])

    def test_headers_for_older_kernels_have_kernel_doc(self):
        text = "#if !CAUSEWAY_HAS_BDEV_SIZE\nstatic inline loff_t bdev_nr_bytes(struct block_device *bdev)\n{\n\treturn 0;\n}\n#endif\n"
        name = "kmod/compat/5.10/include/linux/blkdev.h"
        self.assertEqual(self.check(text, name), [f"{name}:2: bdev_nr_bytes() has no kernel-doc"])

    def test_the_comment_of_another_function_does_not_count(self):
        self.assertEqual(self.check(DESCRIBED.replace("bool cw_link_kill", "bool cw_link_end"))[-1:],
                         ["kmod/core/link/link.h:8: cw_link_end() has no kernel-doc"])

    def test_the_context_has_to_be_named(self):
        self.assertEqual(self.check(DESCRIBED.replace(" * Context: Any context.\n", "")),
                         ["kmod/core/link/link.h:7: cw_link_kill(): the kernel-doc does not say the context"])

    def test_an_argument_without_description_fails_everywhere(self):
        found = self.check(DESCRIBED.replace("*link)", "*link, int err)"), "kmod/disk/disk.h")
        self.assertEqual(len(found), 1)
        self.assertIn("'err' not described", found[0])


if __name__ == "__main__":
    unittest.main()
