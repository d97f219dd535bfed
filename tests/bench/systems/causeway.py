# SPDX-License-Identifier: GPL-2.0-or-later
"""Causeway: causeway_target and causeway_disk, over RDMA or TCP."""

import json

from .local import backing

NAME = "causeway"
GROUNDS = ("rxe", "wire", "siw", "sim", "tcp", "tcpwire")
OPTIONS = {"rdma": ("", ""), "tcp": (" --tcp", " --transport tcp")}     # of the export, and of the attachment


def start(server, client, ground, count):
    names = [f"b{number}" for number in ground.numbers(count)]
    served, attached_by = OPTIONS[ground.transport]
    for name, device in zip(names, backing(server, ground, count)):
        server.run(f"causeway export add {name} --device {device} --no-persist --allow any{served}")
        client.run(f"causeway attach {ground.server}/{name} --queues {ground.queues} --no-persist{attached_by}")
    attached = json.loads(client.run("causeway --json list").out)["attachments"]
    disks = [each["disk"] for each in attached if each["name"] in names]
    assert len(disks) == count, attached
    for disk in disks:
        scheduler = client.read(f"/sys/block/{disk}/queue/scheduler").strip()
        assert "[none]" in scheduler or scheduler == "none", scheduler
    return [f"/dev/{disk}" for disk in disks]
