# SPDX-License-Identifier: GPL-2.0-or-later
"""The command that prints in one line how many queue pairs and other RDMA objects a host has."""

RESOURCES = "rdma resource show | xargs"
