#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes reports of results.json for readers: report.html beside it, and the figures in
docs/PERFORMANCE.md."""

import argparse
import json
import sys
import textwrap
from html import escape
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from charts import bars, goal_bars, lines, number       # noqa: E402
from document import markdown_table, write_part         # noqa: E402
from goals import FIGURE, PEERS, UNIT, Table            # noqa: E402

TOP = HERE.parents[1]
DEPTHS = (1, 2, 4, 16, 64)
ORDER = ("causeway", "nvme", "nvme-digest", "nbd", "srp", "rnbd", "iser", "nfs-causeway", "nfs-intree", "raw", "local")
GROUND = {
    "rxe": "One soft-RoCE device: packets loop back at once. The cost of an I/O is the instructions of both ends.",
    "wire": "Two soft-RoCE devices on a cable with 20 µs of delay each way. The cost is time per I/O: at depth 1 the way "
            "there and back, at depth the instructions again.",
    "siw": "One soft-iWARP device: every message goes through TCP.",
    "sim": "One simulated InfiniBand HCA, its two ports cabled to each other. There are no packets: a work request is carried "
           "out at once, so that the cost of an I/O is what the protocols and the block layer or the file system do.",
    "tcp": "TCP over the loopback device: the kernel hands segments of up to 64 KiB from one end to the other, with no checksum. "
           "The cost of an I/O is the instructions of both ends.",
    "tcpwire": "TCP over a cable with 20 µs of delay each way. The cost is time per I/O: at depth 1 the way there and back, at "
               "depth the instructions again.",
}
# The parts of docs/PERFORMANCE.md, and the transports whose figures they have.
PARTS = {"figures": ("rxe", "wire", "siw"), "sim": ("sim",), "tcp": ("tcp", "tcpwire")}
COLUMNS = (("kinsn", "kinsn_per_io"), ("vµs", "vus_per_io"), ("switches", "context_switches_per_io"))
VERBS = (("work requests", "send_wrs"), ("packets", "packets_sent"), ("completions", "completions"),
         ("registrations", "registrations"), ("interrupts", "interrupts"))
SEGMENTS = (("segments", "segments_sent"),)


def counted(transport):
    """Return the columns of the work of each side."""
    return SEGMENTS if transport in PARTS["tcp"] else VERBS


def ordered(systems):
    return sorted(systems, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))


def per_case(table, transport, case):
    found = {system: table.get(system, transport, case) for system in ordered(table.systems()) if system != "local"}
    return {system: value for system, value in found.items() if value is not None}


def two(value):
    """Return two digits after the point, and no negative zero."""
    return f"{round(value, 2) + 0:.2f}"


def sides(result, name):
    """Return the figures of client and server, or of both together."""
    values = [side[name] for side in result["verbs_per_io"].values() if name in side]
    return " / ".join(map(two, values)) or "–"


# --- report.html ---

def depth_charts(table, transport, unit):
    for direction in ("read", "write"):
        cases = [f"rand{direction}-4k-qd{depth}" for depth in DEPTHS]
        series = {}
        for system in ordered(table.systems()):
            values = [table.get(system, transport, case) for case in cases]
            if any(values) and system != "local":
                series[system] = values
        if series:
            yield f"<figure>{lines(f'4 KiB {direction}s, {unit}', [str(d) for d in DEPTHS], series, unit)}</figure>"


def bar_charts(table, transport, unit):
    shown = {f"rand{direction}-4k-qd{depth}" for direction in ("read", "write") for depth in DEPTHS}
    for case in table.cases(transport):
        values = per_case(table, transport, case)
        if case not in shown and len(values) > 1:
            yield f"<figure>{bars(case, values, unit)}</figure>"


def html_rows(table, transport):
    for case in table.cases(transport):
        for system in ordered(table.systems()):
            result = table.results.get((system, transport, case))
            if not result:
                continue
            latency = result["latency_vus"]
            cells = [two(result[key]) for _, key in COLUMNS] + [sides(result, key) for _, key in counted(transport)] + \
                [f"{latency[p]:.0f}" if p in latency else "–" for p in ("p50", "p99", "p99.9")]
            yield (f'<tr{" class=own" if system == "causeway" else ""}><td>{escape(case)}<td>{system}<td>'
                   + "<td>".join(cells))


def html(table):
    outcomes = list(table.outcomes())
    parts = [f"<p class=lead>What one I/O costs, counted in guest instructions and virtual time of one emulated machine: "
             f"the same on every computer. Causeway {escape(', '.join(table.revisions()))}.</p>"]
    if outcomes:
        reached = sum(o.reached for o in outcomes)
        parts.append(f"<h2>Goals: {reached} of {len(outcomes)} reached</h2>")
        parts.append("<p>How many times less an I/O costs than with the best peer. A mark stands where the goal is.</p><div class=charts>")
        for transport in FIGURE:
            ours = [o for o in outcomes if o.transport == transport and not o.against_raw]
            if ours:
                parts.append(f"<figure><figcaption>{transport}</figcaption>{goal_bars(ours)}</figure>")
        large = [o for o in outcomes if o.against_raw]
        if large:
            rows = "".join(f"<tr><td>{o.transport}<td>{o.case}<td>{number(o.ours)}<td>{number(o.other)}<td>{o.ratio:.2f}"
                           f"<td class={'reached' if o.reached else 'missed'}>{'✓' if o.reached else 'not yet'}" for o in outcomes
                           if o.against_raw)
            parts.append("<figure><figcaption>Large I/O against raw verbs plus null_blk: at most 1.12</figcaption>"
                         f"<table><tr><th><th>case<th>causeway<th>raw + local<th>ratio<th></tr>{rows}</table></figure>")
        parts.append("</div>")
    for transport in table.transports():
        unit = UNIT[FIGURE[transport]]
        parts.append(f"<h2>{transport}</h2><p>{GROUND[transport]} Lower is better.</p><div class=charts>")
        parts += depth_charts(table, transport, unit)
        parts.append("</div><div class='charts small'>")
        parts += bar_charts(table, transport, unit)
        head = "".join(f"<th>{name}" for name, _ in (*COLUMNS, *counted(transport))) + "<th>p50<th>p99<th>p99.9"
        parts.append(f"</div><details><summary>All figures on {transport}</summary><div class=wide><table><tr><th>case<th>system{head}</tr>")
        parts += html_rows(table, transport)
        parts.append("</table></div><p>" + ", ".join(name for name, _ in counted(transport)).capitalize() + " per I/O: "
                     f"{'both ends together' if transport != 'wire' else 'client / server'}. Latencies in virtual µs.</p></details>")
    style = (HERE / "report.css").read_text()
    return ("<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content='width=device-width'>"
            f"<title>Causeway: the cost of an I/O</title><style>{style}</style></head><body><main><h1>The cost of an I/O</h1>"
            + "\n".join(parts) + "</main></body></html>\n")


# --- docs/PERFORMANCE.md ---

def goals_markdown(table):
    outcomes = list(table.outcomes())
    if not outcomes:
        return []
    rows = [[o.transport, o.case, number(o.ours), f"{number(o.other)} {o.rivals}", f"{o.ratio:.2f}",
             f"{'≤' if o.against_raw else '≥'} {o.goal:g}", o.verdict] for o in outcomes]
    where = "" if {"rxe", "wire"} & set(table.transports()) else f" on {' and '.join(table.transports())}"
    return [f"## Goals{where}: {sum(o.reached for o in outcomes)} of {len(outcomes)} reached", "",
            "The ratio is the cost of the cheapest peer divided by that of Causeway. The peers of the disk are",
            f"{', '.join(PEERS)}; the peer of NFS is nfs-intree. For large I/O the ratio is the cost of",
            "Causeway divided by that of raw verbs plus null_blk. On the ground `wire` the cost is virtual",
            "microseconds per I/O (time on the clock of the emulated machine), on the others thousand",
            "instructions per I/O.", "",
            *markdown_table(["ground", "case", "Causeway", "against", "ratio", "goal", "reached"], rows)]


def cases_markdown(table, transport):
    systems = [s for s in ordered(table.systems()) if any((s, transport, case) in table.results for case in table.cases(transport))]
    rows = []
    for case in table.cases(transport):
        found = {system: table.get(system, transport, case) for system in systems}
        rows.append([case, *(number(value) if (value := found[s]) is not None else "" for s in systems)])
    return [f"## {transport}: {UNIT[FIGURE[transport]]}", "", *textwrap.wrap(GROUND[transport].replace("µ", "u"), 100), "",
            *markdown_table(["case", *systems], rows)]


def verbs_markdown(table, transport):
    rows = []
    for case in ("randread-4k-qd1", "randwrite-4k-qd1", "randread-4k-qd16", "randwrite-4k-qd16", "randread-4k-qd16-batch",
                 "randwrite-4k-qd16-batch", "read-128k-qd4", "write-128k-qd4"):
        for system in ordered(table.systems()):
            result = table.results.get((system, transport, case))
            if result and system != "local":
                rows.append([case, system, *(sides(result, key) for _, key in counted(transport)), two(result["context_switches_per_io"])])
    both = "client / server" if transport == "wire" else "both ends together"
    return [f"### Work of each side per I/O on {transport} ({both})", "",
            *markdown_table(["case", "system", *(name for name, _ in counted(transport)), "context switches"], rows)] if rows else []


def origins_markdown(table):
    """Return a table of when everything was measured. The revision is Causeway's; that of a peer is
    the bench's own."""
    rows = [[", ".join(f"{system} ({', '.join(grounds)})" for system, grounds in systems.items()), *origin]
            for origin, systems in table.origins().items()]
    return markdown_table(["measured", "revision", "day", "kernel"], rows)


def markdown(table):
    out = ["Made by `make bench` from build/bench/results.json.", "", *origins_markdown(table), *goals_markdown(table)]
    for transport in table.transports():
        out += cases_markdown(table, transport) + verbs_markdown(table, transport)
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, nargs="?", default=TOP / "build/bench/results.json")
    parser.add_argument("--document", type=Path, help="the document whose figures are replaced: of transports that were measured")
    options = parser.parse_args()
    table = Table(json.loads(options.results.read_text()))
    page = options.results.with_name("report.html")
    page.write_text(html(table))
    print(f"bench: {page}")
    for name, transports in PARTS.items() if options.document else ():
        part = table.of(transports)
        if part.transports():
            write_part(options.document, name, markdown(part))
            print(f"bench: {options.document}: {name}")


if __name__ == "__main__":
    main()
