# SPDX-License-Identifier: GPL-2.0-or-later
"""The counters of an NFS mount over RDMA in /proc/self/mountstats."""

FIELDS = ("port binds connects connect_time idle sends recvs bad_xids req_u bklog_u read_chunks write_chunks reply_chunks "
          "rdma_request rdma_reply pullup fixup hardway failed_marshal bad_replies nomsg_calls mrs_recycled mrs_orphaned "
          "mrs_allocated local_inv empty_sendctx reply_waits").split()


def fields(client):
    """Return a dict of names and numbers for the client's first mount over RDMA."""
    words = client.run("grep -m1 'xprt:.rdma' /proc/self/mountstats").out.split()[2:]
    assert len(words) == len(FIELDS), words
    return dict(zip(FIELDS, map(int, words)))
