# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds complaints of a kernel in the text of its console."""

import re
from pathlib import Path

KNOWN = Path(__file__).resolve().parents[1] / "known-splats"

SIGNS = re.compile("|".join([
    r"WARNING:", r"\bBUG:", r"\bKASAN:", r"\bKCSAN:", r"\bOops\b", r"kernel BUG at", r"Kernel panic", r"general protection",
    r"unable to handle", r"NULL pointer dereference", r"double fault", r"stack segment",
    r"possible circular locking", r"possible recursive locking", r"inconsistent lock state",
    r"possible irq lock inversion", r"suspicious RCU", r"bad unlock balance", r"held lock freed",
    r"lock held when returning", r"still has locks held", r"sleeping function called", r"scheduling while atomic",
    r"invalid wait context", r"trying to register non-static key", r"MAX_LOCKDEP_\w+ too low", r"MAX_LOCK_DEPTH too low",
    r"ODEBUG:", r"kmemleak: \d+ new suspected", r"unreferenced object",
    r"refcount_t:", r"percpu_ref.*(?:<= 0|switch)", r"Unbalanced", r"DMA-API:", r"UBSAN:", r"field-spanning write",
    r"list_(?:add|del) corruption", r"blocked for more than \d+ seconds", r"soft lockup", r"hard LOCKUP",
    r"detected stalls?", r"self-detected stall", r"workqueue lockup", r"Bad page (?:state|map)", r"Out of memory:",
    r"SLUB: |Redzone|Poison overwritten|Object padding overwritten|Freepointer corrupt",
    r"Objects remaining in \S+ on", r"kmem_cache_destroy", r"page_owner|page allocation failure",
    r"use-after-free", r"usercopy:", r"stack-protector", r"Call Trace:", r"workqueue: .*flushing",
    r"disagrees about version of symbol", r"Unknown symbol", r"leaked \d+|still in use\b",
]))
TAIL = 60
REPORT = 150            # lines of a report of KASAN: the stacks of an interrupt and of what it interrupted, and two more


def known():
    """Return the regular expressions of tests/vm/known-splats. Each line has a regex, two spaces or
    more, and # with a reason."""
    found = []
    for number, line in enumerate(KNOWN.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        regex, mark, reason = line.partition("  #")
        if not mark or not reason.strip():
            raise ValueError(f"{KNOWN}:{number}: a known splat needs a reason after two spaces and #")
        found.append(re.compile(regex.strip()))
    return found


def expected(regex, lines, number):
    """Return whether a line matches the regex. A regex that contains \\n also covers the line
    before; one with (?s) covers the report."""
    if regex.flags & re.DOTALL:
        return bool(regex.match("\n".join(lines[number:number + REPORT])))
    first = max(number - 1, 0) if r"\n" in regex.pattern else number
    return bool(regex.search("\n".join(lines[first:number + 1])))


def find(text, allowed=()):
    """Return the first splat with the lines after it, or None."""
    ignore = known() + [re.compile(pattern) for pattern in allowed]
    lines = text.splitlines()
    skip_trace_until = -1
    for number, line in enumerate(lines):
        if not SIGNS.search(line):
            continue
        if any(expected(regex, lines, number) for regex in ignore):
            skip_trace_until = number + TAIL        # the call trace belongs to this line
            continue
        if "Call Trace:" in line and number < skip_trace_until:
            continue
        return "\n".join(lines[number:number + TAIL])
    return None
