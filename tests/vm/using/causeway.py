# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers of the command, from its --json."""

import json


def answer(host, words, **how):
    """Return the answer of "causeway --json WORDS". how: timeout and check of Host.run()."""
    return json.loads(host.run(f"causeway --json {words}", **how).out)


def connections(host):
    """Return the connections of disks. A host may be at both ends of one, which is then there twice."""
    return answer(host, "net")["connections"]


def connection(host):
    """Return the first connection, for a host that has one."""
    return connections(host)[0]


def nfs_connections(host):
    return answer(host, "net")["nfs"]["connections"]


def attachments(host):
    return answer(host, "list")["attachments"]


def attachment(host):
    return attachments(host)[0]


def exports(host):
    return answer(host, "export list")["exports"]


def wait_lost(client):
    """Wait until a client has given a connection up. The next attempt to connect may follow at once."""
    client.wait_for("causeway --json net | grep -qE '\"state\": *\"(held|connecting)\"'")


def watch(host):
    """Return a Job that prints every event from now on."""
    job = host.start("causeway watch")
    job.wait_for("watching")
    return job
