# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands that say what a host has of RDMA, or that succeed when it has none."""

# In one line: how many queue pairs and other RDMA objects.
RESOURCES = "rdma resource show | xargs"
# In the JSON of `net` the indentation tells the connections of disks from those of NFS.
NO_DISK_CONNECTIONS = "causeway --json net | grep -q '^  \"connections\": \\[\\]'"
NO_NFS_CONNECTIONS = "causeway --json net | grep -q '^    \"connections\": \\[\\]'"
