/* SPDX-License-Identifier: GPL-2.0-only */
/* A receive: from a message to a call for nfsd. */
#ifndef CWRS_RECEIVE_H
#define CWRS_RECEIVE_H

#include "../../core/verbs/buffers.h"
#include "../wire/header.h"
#include "pull.h"

#define CWRS_SEGMENTS 20 /* segments of a message that need no further memory */
#define CWRS_CALL_MIN 40 /* bytes of an RPC call with empty credentials (RFC 5531) */

struct cwrs_held;

/* Data of an answer that may leave by a write chunk, as reported by nfsd. */
struct cwrs_result {
	u32 offset; /* of the data in the answer */
	u32 length;
};

/*
 * A receive. Its owner: the adapter, while posted; then the list arrived; possibly the list parked,
 * or the adapter that fetches its data and then the list pulled; then the thread of nfsd that has
 * the call, as its rq_xprt_ctxt.
 */
struct cwrs_receive {
	struct cwrs_connection *conn;
	struct list_head entry;
	struct ib_cqe cqe;
	struct ib_recv_wr wr;
	struct ib_sge sge;
	const struct cw_buffer *buf;
	u32 length; /* bytes of the received message */
	bool parsed;
	bool is_call; /* counted in info.calls */
	u8 results;
	struct cwrs_result result[CWR_WRITE_CHUNKS];
	struct cwrs_pull pull;
	struct cwrs_held *held; /* pages held for the thread that has the call, or NULL */
	struct cwr_header header;
	/* points to own, or to an allocation if the message has more segments */
	struct cwr_segment *segment;
	struct cwr_segment own[CWRS_SEGMENTS];
};

/**
 * cwrs_recvfrom() - receives a call (xpo_recvfrom)
 * @rqstp: thread of nfsd. The call is in its rq_arg.
 *
 * XPT_BUSY is set before the call. It is cleared as soon as a receive was taken, so that other
 * threads handle other calls.
 *
 * Context: Process context, in the thread of @rqstp. May sleep. Takes rx_lock.
 * Return: Bytes of the call, or 0 if there is none to handle now.
 */
int cwrs_recvfrom(struct svc_rqst *rqstp);

#endif
