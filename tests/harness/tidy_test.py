# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests which files clang-tidy checks, and that a finding in one of them fails."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TIDY = Path(__file__).resolve().parents[1] / "lint/tidy"
# Replaces clang-tidy: prints which file it checked, and reports the word BAD.
CHECKER = '#!/bin/sh\n[ "$1" = --version ] && exit\nfor f in "$@"; do case $f in *.cpp) echo "looked at $f"; ! grep -q BAD "$f";' \
          ' exit;; esac; done\n'


class Tree(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.top = Path(place.name) / "tree"
        (self.top / "tests/lint").mkdir(parents=True)
        shutil.copy(TIDY, self.top / "tests/lint/tidy")
        self.checker = Path(place.name) / "checker"
        self.checker.write_text(CHECKER)
        self.checker.chmod(0o755)
        self.environment = {**os.environ, "XDG_CACHE_HOME": f"{place.name}/cache"}
        self.write(**{".clang-tidy": "x"}, **{"old.cpp": "int a;\n", "user.cpp": '#include "own.h"\n', "own.h": "int b;\n"})
        self.git("init", "-q")
        self.commit("first")
        for number in range(3):
            self.write(**{"other.cpp": f"int n{number};\n"})
            self.commit(str(number))

    def write(self, **files):
        for name, text in files.items():
            (self.top / name).write_text(text)

    def git(self, *words):
        subprocess.run(["git", "-C", self.top, "-c", "user.name=x", "-c", "user.email=x@x", *words], check=True,
                       stdout=subprocess.DEVNULL)

    def commit(self, text):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", text)

    def tidy(self, name, commits):
        """Return whether the file was checked, and whether it passed."""
        done = subprocess.run([self.top / "tests/lint/tidy", self.checker, str(self.top / name), "--", "-x", "c++"],
                              cwd=self.top, stdout=subprocess.PIPE, text=True,
                              env={**self.environment, "LINT_COMMITS": commits})
        return "looked at" in done.stdout, done.returncode == 0

    def test_without_a_number_every_file_is_looked_at(self):
        self.assertEqual(self.tidy("old.cpp", ""), (True, True))

    def test_a_file_that_was_not_changed_is_left_out(self):
        self.assertEqual(self.tidy("old.cpp", "2"), (False, True))
        self.assertEqual(self.tidy("other.cpp", "2"), (True, True))

    def test_what_was_left_out_does_not_count_as_clean(self):
        self.tidy("old.cpp", "2")
        self.assertEqual(self.tidy("old.cpp", ""), (True, True))

    def test_a_finding_in_a_changed_file_fails(self):
        self.write(**{"old.cpp": "int BAD;\n"})
        self.assertEqual(self.tidy("old.cpp", "2"), (True, False))
        self.commit("bad")
        self.assertEqual(self.tidy("old.cpp", "2"), (True, False))

    def test_a_changed_header_has_its_users_looked_at(self):
        self.assertEqual(self.tidy("user.cpp", "2"), (False, True))
        self.write(**{"own.h": "int c;\n"})
        self.assertEqual(self.tidy("user.cpp", "2"), (True, True))
        self.assertEqual(self.tidy("old.cpp", "2"), (False, True))

    def test_a_new_file_is_looked_at(self):
        self.write(**{"new.cpp": "int BAD;\n"})
        self.assertEqual(self.tidy("new.cpp", "2"), (True, False))

    def test_a_clone_with_fewer_commits_has_all_looked_at(self):
        self.assertEqual(self.tidy("old.cpp", "50"), (True, True))

    def test_other_wishes_have_all_looked_at(self):
        self.write(**{".clang-tidy": "y"})
        self.assertEqual(self.tidy("old.cpp", "2"), (True, True))


if __name__ == "__main__":
    unittest.main()
