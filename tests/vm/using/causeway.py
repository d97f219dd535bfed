# SPDX-License-Identifier: GPL-2.0-or-later
"""The answers of the command, as its --json has them."""

import json


def answer(host, words, **how):
    """What "causeway --json WORDS" prints; how: timeout and check of Host.run()."""
    return json.loads(host.run(f"causeway --json {words}", **how).out)


def connections(host):
    """Those of disks, at both ends of which a host may be."""
    return answer(host, "net")["connections"]


def connection(host):
    """The first one: of the only disk where there is one."""
    return connections(host)[0]


def nfs_connections(host):
    return answer(host, "net")["nfs"]["connections"]


def attachments(host):
    return answer(host, "list")["attachments"]


def attachment(host):
    return attachments(host)[0]


def exports(host):
    return answer(host, "export list")["exports"]


def watch(host):
    """A Job that prints every event from now on."""
    job = host.start("causeway watch")
    job.wait_for("watching")
    return job
