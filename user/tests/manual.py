#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""manual.py CAUSEWAY PAGE: tests that the manual page has every verb and every option of the
command, and that man(1) reports no fault in it."""

import json
import os
import re
import subprocess
import sys


def shown(page, width):
    """Return the page as a terminal of that width shows it, and the warnings of the formatter."""
    env = {**os.environ, "MANWIDTH": str(width), "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""}
    done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", page], env=env, capture_output=True, text=True,
                          check=True)
    return re.sub(r".\x08", "", done.stdout), done.stderr


def main():
    command, page = sys.argv[1:]
    text, warnings = shown(page, 80)
    faults = [f"man: {line}" for line in warnings.splitlines()]
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "error", page], capture_output=True, text=True, check=False)
    faults += [f"mandoc: {line}" for line in lint.stdout.splitlines()]
    faults += [f"wider than 80 columns: {line}" for line in text.splitlines() if len(line) > 80]
    faults += [f"left over: {line}" for line in text.splitlines() if re.fullmatch(r"\s*@\w+@", line)]

    help_of = json.loads(subprocess.run([command, "help", "--json"], capture_output=True, check=True).stdout)
    # The text between the lines of two verbs, at a width that breaks no line.
    text, _ = shown(page, 300)
    blocks = dict(re.findall(r"^ {7}causeway ([^\n]*)\n(.*?)(?=^ {7}causeway |^[A-Z]|\Z)", text, re.M | re.S))
    counted = 0
    for verb in help_of["verbs"]:
        wanted = f"{verb['verb']} {verb['operands']}".strip()
        if wanted not in blocks:
            faults.append(f"no line \"causeway {wanted}\"")
            continue
        for option in verb["options"]:
            name, value = option["name"], option["value"]
            if name in ("json", "dry-run", "verbose"):
                continue        # described once for all verbs
            counted += 1
            if not re.search(rf"^ +(-., )?--{re.escape(f'{name} {value}'.strip())}$", blocks[wanted], re.M):
                faults.append(f"causeway {wanted}: no line for --{name} {value}")
    if not counted:
        faults.append("no option was looked for")
    for fault in faults:
        print(f"manual: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
