# SPDX-License-Identifier: GPL-2.0-or-later
"""Causeway: causeway_target and causeway_disk."""

import json

from .local import backing

NAME = "causeway"
GROUNDS = ("rxe", "wire", "siw")


def start(host, ground, count):
    for i, device in enumerate(backing(host, count)):
        host.run(f"causeway export add b{i} --device {device} --no-persist")
        host.run(f"causeway attach {ground.server}/b{i} --no-persist")
    disks = [each["disk"] for each in json.loads(host.run("causeway --json list").out)["attachments"]]
    assert len(disks) == count, disks
    for disk in disks:
        scheduler = host.read(f"/sys/block/{disk}/queue/scheduler").strip()
        assert "[none]" in scheduler or scheduler == "none", scheduler
    return [f"/dev/{disk}" for disk in disks]
