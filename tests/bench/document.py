# SPDX-License-Identifier: GPL-2.0-or-later
"""Measured figures inside documents that people write."""


def markdown_table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows), ""]


def write_part(path, name, text):
    """Replace the text between the marks of a part; the text around them stays."""
    marks = [f"<!-- {name}: {end} -->" for end in ("begin", "end")]
    before, begin, rest = path.read_text().partition(marks[0])
    _, end, after = rest.partition(marks[1])
    if not begin or not end:
        raise SystemExit(f"{path}: no {marks[0]} and {marks[1]}")
    path.write_text(f"{before}{marks[0]}\n\n{text.strip()}\n\n{marks[1]}{after}")
