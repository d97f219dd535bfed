#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""metrics_format.py FOLDER: tests that the parsers of Prometheus read the files that the unit tests
wrote there, and find the original values."""

import sys
from pathlib import Path

from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics_parser


def families(text, read):
    return {family.name: family for family in read(text)}


def value(found, family, sample, **labels):
    """Return the value of the only sample whose labels include these."""
    hits = [each.value for each in found[family].samples
            if each.name == sample and labels.items() <= each.labels.items()]
    if len(hits) != 1:
        raise SystemExit(f"metrics: {len(hits)} samples {sample} {labels}")
    return hits[0]


def main():
    folder = Path(sys.argv[1])
    both = ((folder / "openmetrics.txt", openmetrics_parser.text_string_to_metric_families),
            (folder / "prometheus.txt", parser.text_string_to_metric_families))
    for place, read in both:
        text = place.read_text(encoding="utf-8")
        found = families(text, read)
        types = {family.type for family in found.values()}
        if types != {"gauge", "counter", "histogram"}:
            raise SystemExit(f"metrics: {place.name} has types {sorted(types)}")
        if value(found, "causeway_session_reads", "causeway_session_reads_total", role="client") != 1234:
            raise SystemExit(f"metrics: {place.name} has another count of reads")
        if value(found, "causeway_io_latency_seconds", "causeway_io_latency_seconds_bucket", operation="read",
                 le="+Inf") != 1000:
            raise SystemExit(f"metrics: {place.name} has another count of latencies")
        if value(found, "causeway_session_up", "causeway_session_up", name='q"b\\c') != 0:
            raise SystemExit(f"metrics: {place.name} has another state of a session")
    return 0


if __name__ == "__main__":
    sys.exit(main())
