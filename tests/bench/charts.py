# SPDX-License-Identifier: GPL-2.0-or-later
"""Charts as inline SVG. Colours are classes, so that one style sheet serves light and dark."""

from html import escape
from math import ceil, log10

LABEL_GAP = 14


def number(value):
    """Return a number as text with about three digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def nice_top(value):
    """Return the end of an axis, and the step of its lines."""
    step = 10 ** ceil(log10(value / 5))
    for finer in (0.2, 0.25, 0.5):
        if value / (step * finer) <= 6:
            step *= finer
            break
    return step * ceil(value / step), step


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def spread(wanted, lowest, highest):
    """Return heights of labels that are near the wanted ones and do not overlap."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    placed = dict(enumerate(wanted))
    last = lowest - LABEL_GAP
    for i in order:
        placed[i] = last = max(placed[i], last + LABEL_GAP)
    last = highest + LABEL_GAP
    for i in reversed(order):
        placed[i] = last = min(placed[i], last - LABEL_GAP)
    return [placed[i] for i in range(len(wanted))]


def lines(title, ticks, series, unit):
    """Return a chart with a line for each series: name -> values, one for each tick or None."""
    width, height, left, right, top, bottom = 520, 330, 44, 92, 34, 40
    highest, step = nice_top(max(v for values in series.values() for v in values if v is not None))
    def x(i):
        return left + (width - left - right) * (i + 0.25) / (len(ticks) - 0.5)
    def y(v):
        return height - bottom - (height - top - bottom) * v / highest
    out = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">', text(left, 16, title, "title")]
    for i in range(round(highest / step) + 1):
        at = y(i * step)
        out.append(f'<line x1="{left}" x2="{width - right}" y1="{at:.1f}" y2="{at:.1f}" class="grid"/>')
        out.append(text(left - 7, at + 4, f"{i * step:g}", "tick", "end"))
    for i, tick in enumerate(ticks):
        out.append(text(x(i), height - bottom + 18, tick, "tick", "middle"))
    out.append(text((left + width - right) / 2, height - 6, "I/Os in flight", "tick", "middle"))
    ends = []
    for name, values in series.items():
        points = [(x(i), y(v), v, ticks[i]) for i, v in enumerate(values) if v is not None]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py, _, _ in points)
        out.append(f'<polyline points="{path}" class="line s-{name}"/>')
        out += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="{4 if name == "causeway" else 3}" class="dot s-{name}">'
                f"<title>{escape(name)}, {tick} in flight: {v:g} {unit}</title></circle>" for px, py, v, tick in points]
        ends.append((name, points[-1][1]))
    for (name, _), at in zip(ends, spread([end for _, end in ends], top, height - bottom)):
        out.append(text(width - right + 8, at + 4, name, f"name s-{name}"))
    return "\n".join([*out, "</svg>"])


def bars(title, values, unit):
    """Return a chart with a bar for each system: name -> value."""
    width, left, right, row = 380, 84, 56, 22
    height = 30 + row * len(values)
    highest = max(values.values())
    out = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">', text(0, 16, title, "title")]
    for i, (name, value) in enumerate(values.items()):
        at = 28 + row * i
        length = (width - left - right) * value / highest
        out.append(text(left - 8, at + 13, name, "name" + (" own" if name == "causeway" else ""), "end"))
        out.append(f'<rect x="{left}" y="{at}" width="{length:.1f}" height="{row - 6}" rx="2" class="bar s-{name}">'
                   f"<title>{escape(name)}: {value:g} {unit}</title></rect>")
        out.append(text(left + length + 6, at + 13, number(value), "value"))
    return "\n".join([*out, "</svg>"])


def goal_bars(outcomes):
    """Return a chart that compares ratios with goals: a bar for each ratio, a mark at its goal."""
    width, left, right, row = 560, 170, 120, 24
    height = 8 + row * len(outcomes)
    highest = max(max(o.ratio, o.goal) for o in outcomes) * 1.02
    out = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="goals">']
    scale = (width - left - right) / highest
    out.append(f'<line x1="{left + scale:.1f}" x2="{left + scale:.1f}" y1="0" y2="{height}" class="grid"/>')
    for i, o in enumerate(outcomes):
        at = 6 + row * i
        state = "reached" if o.reached else "missed"
        out.append(text(left - 8, at + 12, o.case, "name", "end"))
        out.append(f'<rect x="{left}" y="{at}" width="{o.ratio * scale:.1f}" height="{row - 9}" rx="2" class="bar {state}">'
                   f"<title>{o.case}: {o.ours:g}, {o.rivals} {o.other:g}</title></rect>")
        mark = left + o.goal * scale
        out.append(f'<line x1="{mark:.1f}" x2="{mark:.1f}" y1="{at - 3}" y2="{at + row - 6}" class="mark"/>')
        out.append(text(left + max(o.ratio, o.goal) * scale + 8, at + 12,
                        f"{o.ratio:.2f} of {o.goal:g} {'✓' if o.reached else ''}", f"value {state}"))
    return "\n".join([*out, "</svg>"])
