# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that a debug kernel was built as tests/kernels/base.config and <kernel>.config state.

Without this check, a kernel that lost a checker would pass all scenarios.
"""

import re
import subprocess
from pathlib import Path

from . import cache
from .kernel import find_debug_packages

DEBUG = ("kasan", "lockdep", "kcsan")
KERNELS = Path(__file__).resolve().parents[2] / "kernels"
SET = re.compile(r"^(CONFIG_\w+)=(.*)$|^# (CONFIG_\w+) is not set$", re.M)


def options(text):
    """Return the value of each option in the text of a configuration, or of a part of one. Options
    that are not set have "n"."""
    return {found[1] or found[3]: found[2] if found[1] else "n" for found in SET.finditer(text)}


def stated(name, folder=KERNELS):
    """Return the options that the repository states for a debug kernel."""
    return {option: value for part in ("base", name)
            for option, value in options((folder / f"{part}.config").read_text(encoding="utf-8")).items()}


def tolerated(folder=KERNELS):
    """Return the options that may differ."""
    found = set()
    for number, line in enumerate((folder / "tolerated").read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            option, mark, reason = line.partition("  #")
            if not mark or not reason.strip():
                raise ValueError(f"{folder}/tolerated:{number}: an option needs a reason after two spaces and #")
            found.add(option.strip())
    return found


def differences(name, built, folder=KERNELS):
    """Return a sentence for each option of a debug kernel that is not as stated. "built" is the
    text of its configuration."""
    have = options(built)
    allowed = tolerated(folder)
    return [f"{option} is {have.get(option, 'n')}, {name}.config and base.config say {value}"
            for option, value in sorted(stated(name, folder).items())
            if have.get(option, "n") != value and option not in allowed]


def take_out(package, folder):
    """Extract the configuration from the package of a kernel into folder/config."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE) as unpacking:
        text = subprocess.run(["tar", "-xO", "--wildcards", "./boot/config-*"], stdin=unpacking.stdout, check=True,
                              capture_output=True).stdout
        unpacking.stdout.read()
    (folder / "config").write_bytes(text)


def wrong(name, say=print):
    """Return the differences in the debug kernel that is in use; nothing for other kernels."""
    packages = find_debug_packages(name) if name in DEBUG else None
    if not packages:
        return []
    made = cache.folder(f"config-{name}", cache.digest(packages[0], Path(__file__)),
                        lambda folder: take_out(packages[0], folder), say)
    cache.forget_old(f"config-{name}")
    return differences(name, (made / "config").read_text(encoding="utf-8"))
