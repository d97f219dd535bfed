# SPDX-License-Identifier: GPL-2.0-or-later
"""The description as a page for readers."""

import textwrap

from description import MADE
from render_c import kind

WIDTH = 100


def wrapped(text, first="", others=""):
    return textwrap.wrap(" ".join(text.split()), WIDTH, initial_indent=first, subsequent_indent=others,
                         break_on_hyphens=False)


def cell(content):
    return "" if content is None else str(content).replace("|", "\\|")


def sentence(text):
    return wrapped(f"{text[0].upper()}{text[1:].strip()}.")


def table(*rows):
    head, *body = [f"| {' | '.join(map(cell, row))} |" for row in rows]
    return [head, "|" + "---|" * len(rows[0]), *body, ""]


def quoted(names):
    return ", ".join(f"`{name}`" for name in names)


def operation_lines(description, operation):
    ways = [{"do": "request", "dump": "dump", "event": "event"}[way] for way in ("do", "dump", "event") if way in operation]
    rights = ", CAP_SYS_ADMIN" if "admin-perm" in operation.get("flags", []) else ""
    number = description.operations.numbers[operation["name"]]
    lines = [f"### {operation['name']}", "",
             *wrapped(f"`{description.operations.constant(operation['name'])}`, {number}: {' and '.join(ways)}{rights}. "
                      f"{operation['doc']}"), ""]
    for side in ("request", "reply", "event"):
        attributes = description.side(operation, side)
        if attributes:
            name = "attributes" if side == "event" else side
            lines += wrapped(f"{name}: {quoted(attributes)}", "- ", "  ")
    return lines + [""] if lines[-1] else lines


def set_rows(description, part):
    for entry in part.entries:
        if entry["type"] == "pad":
            continue
        number, name = part.numbers[entry["name"]], entry["name"]
        if part is description.main:
            yield number, f"`{name}`", kind(description, entry), entry.get("doc")
        else:
            yield number, f"`{name}`", entry.get("doc")


def page(description):
    """docs/NETLINK.md"""
    spec, main = description.spec, description.main
    lines = ["<!-- SPDX-License-Identifier: GPL-2.0-or-later -->", f"<!-- {MADE} -->", "# Netlink", ""]
    for paragraph in spec["doc"].splitlines():
        lines += [*wrapped(paragraph), ""]
    lines += [*wrapped("An operation is a request with one answer, or a dump: a list. [causeway.yaml](../abi/causeway.yaml) "
                       "describes the interface in YNL, for programs; [causeway.h](../include/uapi/causeway.h) has the "
                       "same numbers for C."), "", "## Operations", ""]
    for operation in description.operations.entries:
        lines += operation_lines(description, operation)
    lines += ["## Attributes", "", *wrapped(f"The constant of an attribute is `{main.constant('name')}` for `name`."), "",
              *table(("number", "name", "type", "meaning"), *set_rows(description, main))]
    for part in description.sets.values():
        if part is not main:
            lines += [f"## enum {part.enum}", "", *sentence(part.part["doc"]), "",
                      *table(("number", "name", "meaning"), *set_rows(description, part))]
    for one in description.enums.values():
        lines += [f"## enum {one['enum-name'].replace('-', '_')}", "", *sentence(one["doc"]), "",
                  *table(("value", "name", "meaning"),
                         *((entry["value"], f"`{entry['name']}`", entry.get("doc")) for entry in one["entries"]))]
    return "\n".join(lines).rstrip() + "\n"
