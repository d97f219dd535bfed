// SPDX-License-Identifier: GPL-2.0-only
/*
 * SunRPC's operations on one RPC: the memory of its call and reply before it is sent, and its end,
 * with a reply or without.
 */
#include <linux/sunrpc/clnt.h>

#include "call.h"
#include "chunks.h"
#include "rails.h"
#include "request.h"

int cwrc_buf_alloc(struct rpc_task *task)
{
	struct rpc_rqst *rqst = task->tk_rqstp;
	struct cwrc_transport *t = cwrc_transport_of(rqst->rq_xprt);
	size_t call_size = ALIGN(rqst->rq_callsize, sizeof(u64));
	size_t size = CWRC_ROOM + call_size + rqst->rq_rcvsize;
	struct cwrc_call *call = cwrc_call_get(t, size, rpc_task_gfp_mask() | __GFP_NOWARN);

	if (!call)
		return -ENOMEM;
	spin_lock(&t->calls_lock);
	call->rqst = rqst;
	spin_unlock(&t->calls_lock);
	rqst->rq_buffer = call->memory + CWRC_ROOM;
	rqst->rq_rbuffer = rqst->rq_buffer + call_size;
	return 0;
}

void cwrc_buf_free(struct rpc_task *task)
{
	struct rpc_rqst *rqst = task->tk_rqstp;
	struct cwrc_call *call = cwrc_call_of(rqst);
	struct cwrc_transport *t = call->transport;

	cwrc_chunks_wait(call);
	cwrc_call_free_own_pages(call);
	spin_lock(&t->calls_lock);
	call->rqst = NULL;
	cwrc_call_settle(call);
	spin_unlock(&t->calls_lock);
	rqst->rq_buffer = NULL;
	rqst->rq_rbuffer = NULL;
	cwrc_call_put(call);
}

/*
 * The server may still send the reply for which the call held credit: see cwrc_rails_set_window().
 */
void cwrc_release_request(struct rpc_task *task)
{
	struct rpc_rqst *rqst = task->tk_rqstp;
	struct cwrc_transport *t = cwrc_transport_of(rqst->rq_xprt);

	if (rqst->rq_buffer && cwrc_call_given_up(cwrc_call_of(rqst)))
		cwrc_rails_set_window(t);
	xprt_release_rqst_cong(task);
}
