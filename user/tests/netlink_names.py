#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares docs/netlink/causeway.yaml with the header that the code is built with.

Every command, attribute, counter and value of one must stand in the other, in the same place; an operation may
use only attributes that exist.

usage: netlink_names.py causeway.yaml causeway.h
"""

import re
import sys

import yaml


def enums_of_header(path):
    """{enum: {constant: value}} of a C header."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    enums = {}
    for name, body in re.findall(r"enum\s+(\w+)\s*\{(.*?)\}", text, flags=re.S):
        value, members = -1, {}
        for entry in body.split(","):
            constant, _, given = (part.strip() for part in entry.partition("="))
            if constant:
                value = int(given, 0) if given else value + 1
                members[constant] = value
        enums[name] = members
    enums["defines"] = {name: int(value) for name, value in re.findall(r"#define\s+(\w+)\s+(\d+)\s", text)}
    return enums


def c_name(prefix, name):
    return (prefix + name).replace("-", "_").upper()


def enums_of_description(spec):
    """The same of the YNL description."""
    enums = {"defines": {"CW_GENL_VERSION": spec["version"]}}
    for definition in spec["definitions"]:
        if definition["type"] == "const":
            enums["defines"][c_name("cw-", definition["name"])] = definition["value"]
            continue
        enums[definition["enum-name"].replace("-", "_")] = {
            c_name(definition["name-prefix"], entry["name"]): entry["value"] for entry in definition["entries"]}
    numbered = [(part, part["attributes"]) for part in spec["attribute-sets"]]
    numbered.append((spec["operations"], spec["operations"]["list"]))
    for part, entries in numbered:
        enums[part["enum-name"].replace("-", "_")] = {
            c_name(part["name-prefix"], entry["name"]): number for number, entry in enumerate(entries, 1)}
    return enums


def without_ends(members):
    return {name: value for name, value in members.items()
            if not name.startswith("__") and not name.endswith("_UNSPEC")}


def unknown_uses(spec):
    """Attributes and enums that are used and nowhere described."""
    known = {part["name"]: {entry["name"] for entry in part["attributes"]} for part in spec["attribute-sets"]}
    enums = {definition["name"] for definition in spec["definitions"]}
    for part in spec["attribute-sets"]:
        for entry in part["attributes"]:
            if entry.get("enum", "state") not in enums:
                yield f"attribute {entry['name']} has the unknown enum {entry['enum']}"
            if entry.get("nested-attributes", "main") not in known:
                yield f"attribute {entry['name']} nests the unknown set {entry['nested-attributes']}"
    for operation in spec["operations"]["list"]:
        for side in ("do", "dump", "event"):
            parts = operation.get(side, {})
            for attributes in [parts.get("attributes", [])] + [
                    parts.get(way, {}).get("attributes", []) for way in ("request", "reply")]:
                for name in attributes:
                    if name not in known[operation["attribute-set"]]:
                        yield f"operation {operation['name']} uses the unknown attribute {name}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        spec = yaml.safe_load(file)
    told, real = enums_of_description(spec), enums_of_header(sys.argv[2])
    wrong = list(unknown_uses(spec))
    for enum in sorted(set(told) | set(real)):
        here, there = without_ends(told.get(enum, {})), without_ends(real.get(enum, {}))
        for name in sorted(set(here) | set(there)):
            if here.get(name) != there.get(name):
                wrong.append(f"{enum}.{name} is {here.get(name)} in the description, {there.get(name)} in the header")
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
