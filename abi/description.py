# SPDX-License-Identifier: GPL-2.0-or-later
"""The description of the netlink interface, read and checked."""

from pathlib import Path

import yaml

PLACE = Path(__file__).resolve().parent
SOURCE = "abi/causeway.yaml"
MADE = f"Made by abi/generate from {SOURCE}: edit that file, and run abi/generate."
TYPES = ("pad", "string", "binary", "flag", "nest", "u8", "u16", "u32", "u64", "s32")


class Wrong(Exception):
    """The description contradicts itself; the text says where."""


def constant(prefix, name):
    return (prefix + name).replace("-", "_").upper()


def reject_duplicates(what, names):
    names = list(names)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Wrong(f"{what} has twice: {', '.join(twice)}")


class Set:
    """Numbered names: attributes, or commands. A number is a place in the list, from 1."""

    def __init__(self, part, entries):
        self.part, self.entries = part, entries
        self.enum = part["enum-name"].replace("-", "_")
        self.prefix = part["name-prefix"]
        reject_duplicates(self.enum, (entry["name"] for entry in entries))
        self.numbers = {entry["name"]: number for number, entry in enumerate(entries, 1)}
        self.by_name = {entry["name"]: entry for entry in entries}

    def constant(self, name):
        return constant(self.prefix, name)


class Description:
    def __init__(self, spec, command):
        self.spec, self.command = spec, command
        self.enums = {one["name"]: one for one in spec["definitions"] if one["type"] == "enum"}
        self.constants = {one["name"]: one for one in spec["definitions"] if one["type"] == "const"}
        self.sets = {one["name"]: Set(one, one["attributes"]) for one in spec["attribute-sets"]}
        self.main = self.sets["main"]
        self.operations = Set(spec["operations"], spec["operations"]["list"])
        self.check()

    def check(self):
        reject_duplicates("definitions", [*self.enums, *self.constants])
        for one in self.enums.values():
            reject_duplicates(one["name"], (entry["name"] for entry in one["entries"]))
        for part in self.sets.values():
            for entry in part.entries:
                self.check_attribute(part, entry)
        for operation in self.operations.entries:
            for name in self.used(operation):
                if name not in self.main.by_name:
                    raise Wrong(f"operation {operation['name']} uses the unknown attribute {name}")
        for one in self.command["structs"]:
            for key in ("without", "optional", "attributes"):
                for name in one.get(key, []):
                    if name not in self.main.by_name:
                        raise Wrong(f"{one['name']}: {key} has the unknown attribute {name}")

    def check_attribute(self, part, entry):
        if entry["type"] not in TYPES:
            raise Wrong(f"attribute {entry['name']} has the unknown type {entry['type']}")
        if entry.get("enum", next(iter(self.enums))) not in self.enums:
            raise Wrong(f"attribute {entry['name']} has the unknown enum {entry['enum']}")
        if (entry["type"] == "nest") != (entry.get("nested-attributes") in self.sets):
            raise Wrong(f"attribute {entry['name']} nests no known set")
        if part is not self.main and entry["type"] not in ("pad", "u64"):
            raise Wrong(f"counter {entry['name']} is no u64")
        for limit in entry.get("checks", {}).values():
            self.limit(limit)

    def limit(self, value):
        """The number of a limit, which is one or the name of a constant."""
        if isinstance(value, int):
            return value
        if value not in self.constants:
            raise Wrong(f"{value} is no constant")
        return self.constants[value]["value"]

    def side(self, operation, side):
        """The attributes of "request", "reply" or "event" of an operation."""
        if side == "event":
            return operation.get("event", {}).get("attributes", [])
        way = operation.get("do") or operation.get("dump") or {}
        return way.get(side, {}).get("attributes", [])

    def used(self, operation):
        return [name for side in ("request", "reply", "event") for name in self.side(operation, side)]

    def requested(self):
        """The attributes that some request may have. A nest has attributes of these, too."""
        names = {name for one in self.operations.entries for name in self.side(one, "request")}
        return [entry for entry in self.main.entries if entry["name"] in names]

    def attributes_of(self, struct):
        """The attributes of a struct of the command, in the order of its message."""
        names = struct.get("attributes")
        if names is None:
            names = self.side(self.operations.by_name[struct["operation"]], struct["side"])
        return [self.main.by_name[name] for name in names if name not in struct.get("without", [])]


def read():
    with open(PLACE / "causeway.yaml", encoding="utf-8") as file:
        spec = yaml.safe_load(file)
    with open(PLACE / "command.yaml", encoding="utf-8") as file:
        command = yaml.safe_load(file)
    return Description(spec, command)
