# SPDX-License-Identifier: GPL-2.0-or-later
"""NVMe over TCP with the CRC32C of headers and data, which are off unless a client asks for them."""

from . import nvme

NAME = "nvme-digest"
GROUNDS = ("tcp", "tcpwire")


def start(server, client, ground, count):
    return nvme.start(server, client, ground, count, ",hdr_digest,data_digest")
