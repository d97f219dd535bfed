# SPDX-License-Identifier: GPL-2.0-or-later
"""The description as C++: the structs of the command, their attributes, and names for people and tests."""

import textwrap

from description import MADE, constant

WIDTH = 100


def camel(name):
    return "".join(part.capitalize() for part in name.split("-"))


def comment(text, indent=""):
    return [f"{indent}// {line}" for line in
            textwrap.wrap(" ".join(text.split()), WIDTH - len(indent) - 3, break_on_hyphens=False)]


def opening(text):
    return ["// SPDX-License-Identifier: GPL-2.0-or-later", *comment(text), *comment(MADE)]


# ---- structs of the command ----


def member_of(struct, entry):
    return struct.get("members", {}).get(entry["name"], entry["name"].replace("-", "_"))


def is_counters(description, entry):
    return entry["type"] == "nest" and entry["nested-attributes"] != "main"


def number_of(description, struct, entry):
    """The type of a number, and what it is at first."""
    kind = f"std::{'int' if entry['type'][0] == 's' else 'uint'}{entry['type'][1:]}_t"
    name = entry["name"]
    if name in struct.get("optional", []) or struct.get("side") == "request":
        return f"std::optional<{kind}>", ""
    return kind, f" = {struct.get('defaults', {}).get(name, 0)}"


def type_of(description, struct, entry):
    """The type of a member, and what it is at first."""
    name = entry["name"]
    if entry["type"] == "string":
        return "std::string", ""
    if entry["type"] == "flag":
        return "bool", " = false"
    if entry["type"] == "nest":
        if is_counters(description, entry):
            return camel(entry["nested-attributes"]), "{}"
        return f"std::vector<{struct['nests'][name]}>", ""
    if "sub-type" in entry:
        return "std::optional<Histogram>", ""
    if name in description.command["addresses"]:
        return "SocketAddress", ""
    if name in description.command["secrets"]:
        return "Secret", ""
    if entry.get("display-hint") == "uuid":
        return ("std::optional<Uuid>" if name in struct.get("optional", []) else "Uuid"), ""
    return number_of(description, struct, entry)


def struct_lines(description, struct):
    lines = [*comment(struct["doc"]), f"struct {struct['name']} {{"]
    for entry in description.attributes_of(struct):
        kind, value = type_of(description, struct, entry)
        if entry.get("doc"):
            lines += comment(entry["doc"], "    ")
        lines.append(f"    {kind} {member_of(struct, entry)}{value};")
    if "more" in struct:
        lines.append(f"    {struct['more']}")
    return [*lines, "};", ""]


def messages(description):
    """user/machine/messages.h"""
    lines = [*opening("Messages between the kernel modules and the command, by attribute."), "#pragma once", "",
             '#include "base/secret.h"', '#include "base/socket_address.h"', '#include "base/uuid.h"', "",
             "#include <array>", "#include <causeway.h>", "#include <cstdint>", "#include <optional>",
             "#include <string>", "#include <vector>", "", "namespace causeway {", "",
             "using Histogram = std::array<std::uint64_t, CW_HISTOGRAM>;"]
    for name, part in description.sets.items():
        if part is not description.main:
            end = part.prefix.replace("-", "_").upper()
            lines += [f"// By enum {part.enum}.", f"using {camel(name)} = std::array<std::uint64_t, __{end}MAX>;"]
    lines.append("")
    for struct in description.command["structs"]:
        if "by-hand" not in struct:
            lines += struct_lines(description, struct)
    return "\n".join([*lines, "} // namespace causeway", ""])


def visitors(description):
    """user/kernel/message_attributes.h"""
    lines = [*opening("The attribute of each member of a message."), "#pragma once", "",
             '#include "machine/kernel.h"', "", "#include <causeway.h>", "#include <concepts>",
             "#include <type_traits>", "", "namespace causeway {", "",
             "template <typename T, typename Wanted>",
             "concept Is = std::same_as<std::remove_const_t<T>, Wanted>;", "",
             *comment("each_attribute() calls visit(type of the attribute, member) for each member."), ""]
    for struct in description.command["structs"]:
        lines += [f"template <Is<{struct['name']}> Message, typename Visit>",
                  "void each_attribute(Message &message, const Visit &visit) {",
                  *(f"    visit({description.main.constant(entry['name'])}, message.{member_of(struct, entry)});"
                    for entry in description.attributes_of(struct)), "}", ""]
    return "\n".join([*lines, "} // namespace causeway", ""])


# ---- names ----


def name_rows(pairs):
    return [f'    NetlinkName{{{number}, "{name}"}},' for number, name in pairs]


def names(description):
    """user/show/netlink_names.h"""
    lines = [*opening("Numbers of the netlink interface as words, in JSON and in tables."), "#pragma once", "",
             "#include <array>", "#include <causeway.h>", "#include <string_view>", "",
             "namespace causeway {", "", "struct NetlinkName {", "    int number;", "    std::string_view name;",
             "};", ""]
    tables = {one["enum-name"]: [(constant(one["name-prefix"], entry["name"]), entry["name"])
                                 for entry in one["entries"]] for one in description.enums.values()}
    tables |= {part.part["enum-name"]: [(part.constant(entry["name"]), entry["name"])
                                        for entry in part.entries if entry["type"] != "pad"]
               for part in description.sets.values() if part is not description.main}
    for enum, pairs in tables.items():
        name = enum.removeprefix("cw-").replace("-", "_")
        lines += [*comment(f"enum {enum.replace('-', '_')}"), f"inline constexpr std::array {name}_names = {{",
                  *name_rows(pairs), "};", ""]
    return "\n".join([*lines, "} // namespace causeway", ""])


def command_names(description):
    """user/kernel/command_names.h"""
    pairs = [(description.operations.constant(one["name"]), one["name"]) for one in description.operations.entries]
    return "\n".join([*opening("The commands of the netlink interface as words, for --verbose."), "#pragma once", "",
                      '#include "show/netlink_names.h"', "", "#include <array>", "#include <causeway.h>", "",
                      "namespace causeway {", "", "// enum cw_cmd", "inline constexpr std::array command_names = {",
                      *name_rows(pairs), "};", "", "} // namespace causeway", ""])


def test_kind(description, entry):
    """How tests/vm/netlink writes the value of an attribute."""
    if entry["name"] in description.command["addresses"]:
        return "address"
    if entry.get("display-hint") == "uuid":
        return "uuid"
    if entry["name"] in ("allow", "disk-path", "export-address"):
        return "network" if entry["name"] == "allow" else "path"
    return {"string": "text", "flag": "flag", "binary": "none", "nest": "none", "s32": "none",
            "pad": "none"}.get(entry["type"], entry["type"])


def test_names(description):
    """tests/vm/netlink/names.h"""
    lines = [*opening("The names of commands and attributes, for causeway-netlink."), "#ifndef NETLINK_NAMES_H",
             "#define NETLINK_NAMES_H", "", "#include <array>", "#include <cstdint>", "",
             '#include "include/uapi/causeway.h"', "",
             "// How a value is written as a word. Those of the kind none are only read.",
             "enum class Kind { none, text, flag, u8, u16, u32, u64, uuid, address, network, path };", "",
             "struct KnownAttribute {", "\tconst char *name;", "\tint type;", "\tKind kind;", "};", "",
             "inline constexpr std::array known_attributes = {"]
    for entry in description.main.entries:
        lines.append(f'\tKnownAttribute{{"{entry["name"]}", {description.main.constant(entry["name"])}, '
                     f"Kind::{test_kind(description, entry)}}},")
    lines += ["};", "", "struct KnownCommand {", "\tconst char *name;", "\tstd::uint8_t command;",
              "\tbool has_do, has_dump;", "};", "", "inline constexpr std::array known_commands = {"]
    for one in description.operations.entries:
        if "event" not in one:
            flags = ", ".join(str(way in one).lower() for way in ("do", "dump"))
            lines.append(f'\tKnownCommand{{"{one["name"]}", {description.operations.constant(one["name"])}, {flags}}},')
    return "\n".join([*lines, "};", "", "#endif", ""])
