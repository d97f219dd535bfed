# SPDX-License-Identifier: GPL-2.0-or-later
"""Results of measurements in a file of JSON: an array with an object for each result."""

import json
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
UNRECORDED = "Debian's Linux 6.1, package not recorded"      # the kernel of results that do not name theirs


class Results:
    """The file is complete after each addition: a bench that is stopped keeps its results so
    far."""

    def __init__(self, path, key, keep=False):
        self.path, self.key = path, key
        path.parent.mkdir(parents=True, exist_ok=True)
        there = json.loads(path.read_text()) if keep and path.exists() else []
        self.kept = {self._name(each): each for each in there}

    def __iter__(self):
        return iter(self.kept.values())

    def _name(self, result):
        return tuple(result[field] for field in self.key)

    def add(self, result):
        """Add a result, or replace the one with the same name."""
        self.kept[self._name(result)] = result
        self.path.write_text(json.dumps(list(self), indent=1) + "\n")


def revision(*folders):
    """Return the last commit that changed what we measure, or these folders, with + if they were
    changed since; "unknown" without git."""
    def git(*words):
        return subprocess.run(["git", *words, "--", *(folders or ("kmod", "include", "user"))], cwd=TOP, check=False,
                              capture_output=True, text=True).stdout.strip()
    return (git("log", "-1", "--format=%h") or "unknown") + ("+" if git("status", "--porcelain") else "")
