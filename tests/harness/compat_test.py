# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests the lint of kmod/compat: it detects a release that cannot be deleted, a wrong list, and
code elsewhere that names a kernel."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

COMPAT = Path(__file__).resolve().parents[1] / "lint/compat"


class Releases(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.top = Path(place.name)
        self.write("kmod/Kbuild", "obj-m += core/\n")
        self.write("kmod/core/main.c", "int main;\n")
        self.write("kmod/compat/6.1/probes/rot.c", "")
        self.write("kmod/compat/6.1/include/linux/blkdev.h", "#if !CAUSEWAY_HAS_ROT\n#endif\n")
        self.write("kmod/compat/6.1/lacks", "# kernels: 6\nmerges\nrot\n")
        self.write("kmod/compat/6.12/probes/merges.c", "")
        self.write("kmod/compat/6.12/include/linux/blk-mq.h", "#if !CAUSEWAY_HAS_MERGES\n#endif\n")
        self.write("kmod/compat/6.12/lacks", "# kernels: 6\nmerges\n")
        self.write("kmod/compat/7.2/lacks", "# kernels: 7\n")

    def write(self, name, text):
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def check(self):
        done = subprocess.run([COMPAT, self.top], check=False, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return done.stdout.splitlines()

    def test_a_folder_for_each_release_passes(self):
        self.assertEqual(self.check(), [])

    def test_a_release_can_be_deleted(self):
        shutil.rmtree(self.top / "kmod/compat/6.1")
        self.assertEqual(self.check(), [])

    def test_modules_know_no_kernel(self):
        self.write("kmod/core/main.c", "#include <linux/version.h>\n#if LINUX_VERSION_CODE > 1\n")
        self.assertEqual(self.check(), ["kmod/core/main.c:2: LINUX_VERSION_CODE: only kmod/compat knows of kernels"])

    def test_a_header_reads_probes_of_its_release_only(self):
        self.write("kmod/compat/6.12/include/linux/fs.h", "#if CAUSEWAY_HAS_ROT\n")
        self.assertEqual(self.check(), ["kmod/compat/6.12/include/linux/fs.h: reads the answer of rot, which is no probe of "
                                        "kmod/compat/6.12"])

    def test_a_probe_that_is_read_nowhere_fails(self):
        self.write("kmod/compat/6.12/probes/idle.c", "")
        self.assertEqual(self.check(), ["kmod/compat/6.12/probes/idle.c: no header of kmod/compat/6.12 reads its answer"])

    def test_a_probe_that_the_modules_are_built_by_passes(self):
        self.write("kmod/compat/6.12/probes/sunrpc.c", "")
        self.write("kmod/Kbuild", "obj-$(CAUSEWAY_HAS_SUNRPC) += rpcrdma/\n")
        self.assertEqual(self.check(), [])

    def test_a_list_names_no_probe_of_an_older_release(self):
        self.write("kmod/compat/6.12/lacks", "# kernels: 6\nmerges\nrot\n")
        self.assertEqual(self.check(), ["kmod/compat/6.12/lacks: rot is no probe of this release or a newer one"])

    def test_the_newest_release_lacks_nothing(self):
        shutil.rmtree(self.top / "kmod/compat/7.2")
        self.assertEqual(self.check(), ["kmod/compat: the newest release lacks something; the modules are written against it"])


if __name__ == "__main__":
    unittest.main()
