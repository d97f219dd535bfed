# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands that print the RDMA objects of a host, or that succeed if it has none."""

# Prints the numbers of queue pairs and other RDMA objects of each device, in one line.
RESOURCES = "rdma resource show | xargs"
# In the JSON of `net`, the indentation distinguishes the connections of disks from those of NFS.
NO_DISK_CONNECTIONS = "causeway --json net | grep -q '^  \"connections\": \\[\\]'"
NO_NFS_CONNECTIONS = "causeway --json net | grep -q '^    \"connections\": \\[\\]'"
