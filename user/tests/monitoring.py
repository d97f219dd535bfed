#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""monitoring.py METRICS PACKAGING: tests the alert rules and the dashboard in PACKAGING.

METRICS is what "causeway metrics" prints for a machine that has everything; a unit test writes it.
Each metric and label that the rules and the dashboard use must be there. promtool reads the rules
and the expressions of the dashboard, and runs the tests of the rules in alerts.yml."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml
from prometheus_client import parser

# Labels that Prometheus adds, or that an aggregation needs.
OF_PROMETHEUS = {"instance", "job", "le"}
# Metrics of node_exporter, with their labels.
OF_OTHERS = {"node_textfile_mtime_seconds": {"file"}}
METRIC = re.compile(r"\b((?:causeway|node)_\w+)(?:\{([^}]*)\})?")
MATCHER = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
GROUPING = re.compile(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)")
OF_TEMPLATE = re.compile(r"\$labels\.(\w+)")
OF_LEGEND = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def known_metrics(text):
    """Return the labels of each metric of the text."""
    known = {name: set(labels) for name, labels in OF_OTHERS.items()}
    for family in parser.text_string_to_metric_families(text):
        for sample in family.samples:
            known.setdefault(sample.name, set()).update(sample.labels)
    return known


def faults_of(where, expression, texts, known):
    """Return the metrics and labels of an expression, and labels of its texts, that are not known."""
    faults = []
    used = METRIC.findall(expression)
    if not used:
        return [f"{where}: {expression} uses no metric"]
    labels = set(OF_PROMETHEUS)
    for name, matchers in used:
        if name not in known:
            faults.append(f"{where}: causeway metrics prints no {name}")
        labels |= known.get(name, set())
        for label in MATCHER.findall(matchers):
            if label not in known.get(name, set()) | OF_PROMETHEUS:
                faults.append(f"{where}: {name} has no label {label}")
    named = [label.strip() for group in GROUPING.findall(expression) for label in group.split(",")]
    for label in named + [label for text in texts for label in OF_TEMPLATE.findall(text) + OF_LEGEND.findall(text)]:
        if label and label not in labels:
            faults.append(f"{where}: no metric of the expression has the label {label}")
    return faults


def rules_of(place):
    groups = yaml.safe_load(place.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels_of(place):
    return [panel for panel in json.loads(place.read_text(encoding="utf-8"))["panels"] if panel["type"] != "row"]


def check_names(rules, panels, known):
    faults = []
    for rule in rules:
        faults += faults_of(rule["alert"], rule["expr"], rule["annotations"].values(), known)
    for panel in panels:
        for target in panel["targets"]:
            faults += faults_of(f"dashboard, {panel['title']}", target["expr"], [target["legendFormat"]], known)
    return faults


def check_layout(place):
    """Return panels whose number is used twice, or that cover another one."""
    faults, numbers, cells = [], set(), {}
    for panel in json.loads(place.read_text(encoding="utf-8"))["panels"]:
        if panel["id"] in numbers:
            faults.append(f"dashboard: two panels have the number {panel['id']}")
        numbers.add(panel["id"])
        at = panel["gridPos"]
        if at["x"] + at["w"] > 24:
            faults.append(f"dashboard: {panel['title']} is wider than the page")
        for x in range(at["x"], at["x"] + at["w"]):
            for y in range(at["y"], at["y"] + at["h"]):
                if cells.setdefault((x, y), panel["id"]) != panel["id"]:
                    faults.append(f"dashboard: {panel['title']} covers another panel")
    return sorted(set(faults))


def check_self(known):
    """The checks above must notice names that are not there."""
    wrong = (("causeway_disks", []), ('causeway_disk_loss{host="a"}', []),
             ("sum by (port) (causeway_disk_loss)", []), ("causeway_disk_loss", ["{{ $labels.port }}"]),
             ("causeway_disk_loss", ["{{port}}"]), ("vector(1)", []))
    return [f"the check does not notice {text}" for text in wrong if not faults_of("", *text, known)]


def run(*words):
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    return [] if ended.returncode == 0 else [f"{' '.join(words)}:\n{ended.stdout}{ended.stderr}"]


def check_by_promtool(promtool, rules_place, rules, panels):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tests = (Path(__file__).parent / "alerts.yml").read_text(encoding="utf-8").replace("RULES", str(rules_place))
        (folder / "alerts.yml").write_text(tests, encoding="utf-8")
        # promtool reads expressions in rules only.
        records = [{"record": f"panel:{number}", "expr": expression}
                   for number, expression in enumerate(
                       target["expr"].replace("$__rate_interval", "5m") for panel in panels for target in panel["targets"])]
        (folder / "dashboard.yml").write_text(
            yaml.safe_dump({"groups": [{"name": "dashboard", "rules": records}]}), encoding="utf-8")
        tested = {test["alertname"] for group in yaml.safe_load(tests)["tests"]
                  for test in group["alert_rule_test"] if test.get("exp_alerts")}
        untested = [f"{rule['alert']}: alerts.yml has no test in which it fires"
                    for rule in rules if rule["alert"] not in tested]
        return untested + run(promtool, "check", "rules", str(rules_place)) + \
            run(promtool, "check", "rules", str(folder / "dashboard.yml")) + \
            run(promtool, "test", "rules", str(folder / "alerts.yml"))


def main():
    metrics, packaging = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    rules_place = packaging / "prometheus" / "causeway.rules.yml"
    dashboard = packaging / "grafana" / "causeway.json"
    known = known_metrics(metrics.read_text(encoding="utf-8"))
    rules, panels = rules_of(rules_place), panels_of(dashboard)
    faults = check_names(rules, panels, known) + check_layout(dashboard) + check_self(known)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    promtool = cache / "causeway" / "unpacked" / "prometheus" / "usr" / "bin" / "promtool"
    if promtool.exists():
        faults += check_by_promtool(str(promtool), rules_place, rules, panels)
    else:
        faults.append("promtool is not there, so the rules were not run: make deps")
    print("\n".join(faults + [f"monitoring: {len(rules)} alerts and {len(panels)} panels, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
