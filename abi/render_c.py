# SPDX-License-Identifier: GPL-2.0-or-later
"""The description as C: the header of user space and kernel, and the kernel's policy and operations."""

import textwrap

from description import MADE, constant

WIDTH = 100
NUMBERS = {"u8": "NLA_U8", "u16": "NLA_U16", "u32": "NLA_U32", "u64": "NLA_U64", "s32": "NLA_S32"}


def columns(line):
    return len(line.expandtabs(8))


def block(text, indent=""):
    """A comment of its own: on one line if it fits there. A line of the text is a paragraph."""
    paragraphs = [" ".join(part.split()) for part in text.splitlines() if part.strip()]
    one = f"{indent}/* {paragraphs[0]} */"
    if len(paragraphs) == 1 and columns(one) <= WIDTH:
        return [one]
    width = WIDTH - columns(indent) - 3
    lines = [f"{indent}/*"]
    for number, paragraph in enumerate(paragraphs):
        if number:
            lines.append(f"{indent} *")
        lines += [f"{indent} * {line}" for line in textwrap.wrap(paragraph, width, break_on_hyphens=False)]
    return [*lines, f"{indent} */"]


def member(text, comment):
    """A line of an enum with its comment behind it, or above it if there is no room."""
    line = f"\t{text},"
    if not comment:
        return [line]
    if columns(f"{line} /* {comment} */") <= WIDTH:
        return [f"{line} /* {comment} */"]
    return [*block(comment, "\t"), line]


def kind(description, entry):
    """The type of an attribute in words: "u8: enum cw_role", "string, at most 63"."""
    checks = {name: description.limit(value) for name, value in entry.get("checks", {}).items()}
    words = [entry["type"]]
    if "enum" in entry:
        words[0] += f": enum {description.enums[entry['enum']]['enum-name'].replace('-', '_')}"
    elif entry["type"] == "nest" and entry["nested-attributes"] != "main":
        words[0] += f": enum {description.sets[entry['nested-attributes']].enum}"
    elif "sub-type" in entry:
        words[0] += f": array of {entry['sub-type']}"
    elif "exact-len" in checks:
        words.append(str(checks["exact-len"]))
    elif "max-len" in checks:
        words.append(f"at most {checks['max-len']}")
    elif "max" in checks:
        words.append(f"{checks['min']} to {checks['max']}")
    if entry.get("multi-attr"):
        words.append("repeated")
    return ", ".join(words)


def attribute_comment(description, entry):
    if entry["type"] == "pad":
        return ""
    return ": ".join(part for part in (kind(description, entry), entry.get("doc")) if part)


def numbered(description, part, comment):
    """The enum of a set, from 0, with the constant that is its largest number."""
    end = part.prefix.replace("-", "_").upper()
    lines = [*(block(part.part["doc"]) if "doc" in part.part else []), f"enum {part.enum} {{", f"\t{end}UNSPEC,"]
    for entry in part.entries:
        lines += member(part.constant(entry["name"]), comment(entry))
    return [*lines, f"\t__{end}MAX,", "};", "", f"#define {end}MAX (__{end}MAX - 1)", ""]


def operation_comment(description, operation):
    text = operation["doc"].strip()
    names = {side: ", ".join(map(description.main.constant, description.side(operation, side)))
             for side in ("request", "reply", "event")}
    text += " A dump." if "dump" in operation and "do" not in operation else ""
    text += f" Request: {names['request']}." if names["request"] else ""
    text += f" Reply: {names['reply']}." if names["reply"] else ""
    return text + (f" Attributes: {names['event']}." if names["event"] else "")


def commands(description):
    part = description.operations
    lines = [f"enum {part.enum} {{", f"\t{part.prefix.replace('-', '_').upper()}UNSPEC,"]
    for operation in part.entries:
        lines += [*block(operation_comment(description, operation), "\t"), f"\t{part.constant(operation['name'])},"]
    end = part.prefix.replace("-", "_").upper()
    return [*lines, f"\t__{end}MAX,", "};", "", f"#define {end}MAX (__{end}MAX - 1)", ""]


def enum(one):
    lines = block(one["doc"]) if "doc" in one else []
    lines.append(f"enum {one['enum-name'].replace('-', '_')} {{")
    for entry in one["entries"]:
        lines += member(f"{constant(one['name-prefix'], entry['name'])} = {entry['value']}", entry.get("doc"))
    return [*lines, "};", ""]


def define(one):
    value = one["value"]
    text = f"{value:#x}U" if value > 0x7fffffff else str(value)
    return f"#define {constant('cw-', one['name'])} {text}" + (f" /* {one['doc']} */" if "doc" in one else "")


def header(description):
    """include/uapi/causeway.h"""
    spec = description.spec
    lines = ["/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR GPL-2.0-or-later */",
             *block(f"{spec['doc']}\n{MADE}"),
             "#ifndef _UAPI_CAUSEWAY_H", "#define _UAPI_CAUSEWAY_H", "",
             f"#define {spec['c-family-name'].replace('-', '_').upper()} \"{spec['name']}\"",
             f"#define {spec['c-version-name'].replace('-', '_').upper()} {spec['version']}",
             *(f"#define CW_GENL_{group['name'].upper()} \"{group['name']}\" /* multicast group */"
               for group in spec["mcast-groups"]["list"]),
             "", *commands(description)]
    lines += [define(one) for one in description.constants.values() if "header" not in one] + [""]
    for one in description.enums.values():
        lines += enum(one)
    for part in description.sets.values():
        lines += numbered(description, part, lambda entry: attribute_comment(description, entry)
                          if part is description.main else entry.get("doc"))
    return "\n".join([*lines, "#endif", ""])


def policy_of(description, entry):
    """The numbers of an enum are without gaps."""
    if "enum" in entry:
        one = description.enums[entry["enum"]]
        first, last = (constant(one["name-prefix"], one["entries"][at]["name"]) for at in (0, -1))
        return f"NLA_POLICY_RANGE({NUMBERS[entry['type']]}, {first}, {last})"
    checks = {name: constant("cw-", value) if isinstance(value, str) else str(value)
              for name, value in entry.get("checks", {}).items()}
    if entry["type"] == "nest":
        return "NLA_POLICY_NESTED(cw_policy)"
    if "min" in checks:
        return f"NLA_POLICY_RANGE({NUMBERS[entry['type']]}, {checks['min']}, {checks['max']})"
    if "exact-len" in checks:
        return f"NLA_POLICY_EXACT_LEN({checks['exact-len']})"
    if entry["type"] in ("string", "binary"):
        name = "NLA_NUL_STRING" if entry["type"] == "string" else "NLA_BINARY"
        return f"{{ .type = {name}, .len = {checks['max-len']} }}"
    return f"{{ .type = {NUMBERS.get(entry['type'], 'NLA_FLAG')} }}"


def operation_entry(description, operation):
    """A change is for administrators; an event is no request."""
    change = "admin-perm" in operation.get("flags", [])
    name = description.operations.constant(operation["name"])
    parts = [f".cmd = {name}"]
    if "do" in operation:
        parts.append(f".doit = {'cw_netlink_change' if change else 'cw_netlink_do'}")
    if "dump" in operation:
        parts.append("\n\t  .start = cw_netlink_dump_start, .dumpit = cw_netlink_dump")
    return f"\t{{ {', '.join(parts)} }},".replace(" \n", "\n")


def policy(description):
    """kmod/core/netlink/policy.c"""
    limits = [one for one in description.constants.values() if "header" in one]
    operations = [one for one in description.operations.entries if "event" not in one]
    return "\n".join([
        "// SPDX-License-Identifier: GPL-2.0-only",
        *block("The attributes that requests of the netlink family may have, and the operations of the family.\n" + MADE),
        "#include <linux/module.h>", "",
        *(f'#include "../../../include/{name}"' for name in sorted({one["header"] for one in limits})),
        '#include "policy.h"', "",
        *(f"static_assert({constant('cw-', one['name'])} == {one['value']});" for one in limits), "",
        "/* The kernel refuses a request with an attribute that is not here: no operation takes it. */",
        "const struct nla_policy cw_policy[__CW_A_MAX] = {",
        *(f"\t[{description.main.constant(entry['name'])}] = {policy_of(description, entry)}," for entry in description.requested()),
        "};", "EXPORT_SYMBOL_GPL(cw_policy);", "",
        "const struct genl_ops cw_netlink_ops[CW_NETLINK_OPS] = {",
        *(operation_entry(description, one) for one in operations), "};", ""])
