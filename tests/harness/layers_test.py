# SPDX-License-Identifier: GPL-2.0-or-later
"""An include upward fails with its file and line, and so does a folder that is missing in the
table."""

import subprocess
import tempfile
import unittest
from pathlib import Path

LAYERS = Path(__file__).resolve().parents[1] / "lint/layers"


class Tree(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.top = Path(place.name)
        self.write("kmod/core/link/link.h", "")
        self.write("kmod/core/verbs/endpoint.h", "")
        self.write("include/wire/wire.h", "")

    def write(self, name, text):
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def check(self):
        done = subprocess.run([LAYERS, self.top], check=False, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return done.stdout.splitlines()

    def test_includes_downward_pass(self):
        self.write("kmod/core/link/link.c", '#include <linux/list.h>\n#include "link.h"\n#include "../verbs/endpoint.h"\n'
                                            '#include "../../../include/wire/wire.h"\n')
        self.assertEqual(self.check(), [])

    def test_an_include_upward_fails(self):
        self.write("kmod/core/verbs/endpoint.c", '#include "endpoint.h"\n#include "../link/link.h"\n')
        self.assertEqual(self.check(), ["kmod/core/verbs/endpoint.c:2: kmod/core/verbs includes kmod/core/link/link.h, which is "
                                        "not in a layer below it"])

    def test_folders_of_one_layer_do_not_see_each_other(self):
        self.write("kmod/core/session/server/session.h", "")
        self.write("kmod/core/session/client/session.c", '#  include "../server/session.h"\n')
        self.assertEqual(self.check(), ["kmod/core/session/client/session.c:1: kmod/core/session/client includes "
                                        "kmod/core/session/server/session.h, which is not in a layer below it"])

    def test_an_unknown_folder_fails(self):
        self.write("kmod/new/new.c", '#include "../core/link/link.h"\n')
        self.assertEqual(self.check(), ["kmod/new/new.c:1: kmod/new is not in the table of tests/lint/layers"])

    def test_a_module_that_includes_the_command_fails(self):
        self.write("user/base/uuid.h", "")
        self.write("kmod/core/link/link.c", '#include "../../../user/base/uuid.h"\n')
        self.assertEqual(self.check(), ["kmod/core/link/link.c:1: includes user/base/uuid.h, which is not of kmod/ or include/"])

    def test_the_machinery_of_scenarios_imports_nothing_above_it(self):
        self.write("tests/vm/machine/rig.py", "from . import host\nfrom using import nfs\n")
        self.write("tests/vm/using/nfs.py", "from machine.topology import pair\n")
        self.write("tests/vm/scenarios/nfs/mounts.py", "from machine.topology import pair\nfrom using import nfs\n")
        self.assertEqual(self.check(), ["tests/vm/machine/rig.py:2: imports using, which is not in a layer below machine"])

    def test_a_header_is_found_from_the_top_too(self):
        self.write("kmod/core/verbs/endpoint.c", '#include "kmod/core/link/link.h"\n')
        self.assertEqual(len(self.check()), 1)
