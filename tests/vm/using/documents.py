# SPDX-License-Identifier: GPL-2.0-or-later
"""The command lines of the documents, for the scenario that runs them."""
import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parents[3]
# Pages with recipes, of which scenarios run all commands in their order: using/recipes.py.
RECIPES = ("FIRST_HOUR.md", "RECIPES.md", "VIRTUALISATION.md")
PROMPT = re.compile(r"^(?:(server|client|[a-z]+\d?)?# )?(causeway .*)$")
ENDS = re.compile(r" {3}| #| && |; | \| ")


def pages():
    """Return README, the pages of docs/ without those of recipes, and the manual."""
    docs = sorted(page for page in (TOP / "docs").glob("*.md") if page.name not in RECIPES)
    return [TOP / "README.md", *docs, *sorted((TOP / "man").glob("*.scd"))]


def typed_lines(page):
    """Yield (prompt, command) for each command in an indented or fenced block. The prompt is
    "server", "client" or ""."""
    fenced = False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            fenced = not fenced
        if not fenced and not line.startswith("    "):
            continue
        match = PROMPT.match(line.strip())
        if match:
            yield match.group(1) or "", ENDS.split(match.group(2))[0].strip()
