// SPDX-License-Identifier: GPL-2.0-only
/*
 * The send queue of an endpoint.
 *
 * Send accounting: completions of a send queue come in order, so one signalled request in a few
 * shows that all before it are done as well. posted holds the chains that the adapter has, waiting
 * those that found no room. A chain that is not signalled makes no completion unless it fails; then
 * the queue pair is dead anyway. RDMA READs are the exception: an adapter may report that a later
 * send is done (siw of Linux does) while the data of a read is still to come, so a read is done
 * only when its own completion arrives.
 */
#include "endpoint.h"
#include "queue_size.h"

static void cw_post_done(struct ib_cq *cq, struct ib_wc *wc);

static int cw_endpoint_push(struct cw_endpoint *ep, struct cw_post *post)
{
	lockdep_assert_held(&ep->sq_lock);
	post->cqe.done = cw_post_done;
	post->last->wr_cqe = &post->cqe;
	ep->unsignalled += post->wrs;
	if (post->signal || ep->unsignalled >= CW_SIGNAL_EVERY || ep->sq_free < ep->sq_size / 4) {
		post->last->send_flags |= IB_SEND_SIGNALED;
		ep->unsignalled = 0;
	} else {
		post->last->send_flags &= ~IB_SEND_SIGNALED;
	}
	ep->sq_free -= post->wrs;
	list_add_tail(&post->entry, &ep->posted);
	return ib_post_send(ep->qp, post->first, NULL);
}

void cw_endpoint_post(struct cw_endpoint *ep, struct cw_post *post)
{
	/* The completion of @post may free it, on another processor, as soon as it is posted. */
	bool too_long = post->wrs > ep->longest;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&ep->sq_lock, flags);
	if (unlikely(ep->drained)) {
		spin_unlock_irqrestore(&ep->sq_lock, flags);
		post->complete(post, -ENOTCONN);
		return;
	}
	if (unlikely(!list_empty(&ep->waiting) || post->wrs > ep->sq_free ||
		     READ_ONCE(ep->state) == CW_EP_DEAD))
		list_add_tail(&post->entry, &ep->waiting);
	else
		ret = cw_endpoint_push(ep, post);
	spin_unlock_irqrestore(&ep->sq_lock, flags);
	if (unlikely(too_long))
		ret = -EMSGSIZE;
	/* Work requests that were not posted stay on the list and complete at the drain. */
	if (unlikely(ret))
		cw_endpoint_kill(ep, ret, "posting a send failed (%d)", ret);
}

void cw_endpoint_post_now(struct cw_endpoint *ep, struct cw_post *post)
{
	local_bh_disable();
	cw_endpoint_post(ep, post);
	local_bh_enable();
}

static void cw_probe_done(struct cw_post *post, int err)
{
	struct cw_probe *probe = container_of(post, struct cw_probe, post);

	WRITE_ONCE(probe->under_way, false);
	probe->answered(probe, err);
}

void cw_endpoint_probe(struct cw_endpoint *ep, struct cw_probe *probe)
{
	if (cw_probe_is_under_way(probe))
		return;
	probe->wr = (struct ib_rdma_wr){ .wr.opcode = IB_WR_RDMA_WRITE };
	probe->post = (struct cw_post){
		.first = &probe->wr.wr,
		.last = &probe->wr.wr,
		.wrs = 1,
		.signal = true,
		.complete = cw_probe_done,
	};
	WRITE_ONCE(probe->under_way, true);
	cw_endpoint_post(ep, &probe->post);
}

/* -EREMOTEIO: the peer refused what was asked of its memory. */
static int cw_post_error(const struct ib_wc *wc)
{
	switch (wc->status) {
	case IB_WC_SUCCESS:
		return 0;
	case IB_WC_REM_ACCESS_ERR:
	case IB_WC_REM_INV_REQ_ERR:
		return -EREMOTEIO;
	default:
		return -EIO;
	}
}

static void cw_post_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct cw_post *post = container_of(wc->wr_cqe, struct cw_post, cqe);
	struct cw_endpoint *ep = cq->cq_context;
	struct cw_post *next, *p;
	unsigned long flags;
	LIST_HEAD(done);
	int ret = 0;

	if (unlikely(wc->status != IB_WC_SUCCESS))
		cw_endpoint_kill(ep, -EIO, "a send failed: %s", ib_wc_status_msg(wc->status));

	spin_lock_irqsave(&ep->sq_lock, flags);
	ep->send_completions++;
	list_for_each_entry_safe(p, next, &ep->posted, entry) {
		if (p != post && p->fetches)
			continue;
		ep->sq_free += p->wrs;
		list_move_tail(&p->entry, &done);
		if (p == post)
			break;
	}
	while (!ret && READ_ONCE(ep->state) == CW_EP_LIVE) {
		p = list_first_entry_or_null(&ep->waiting, struct cw_post, entry);
		if (!p || p->wrs > ep->sq_free)
			break;
		list_del(&p->entry);
		ret = cw_endpoint_push(ep, p);
	}
	spin_unlock_irqrestore(&ep->sq_lock, flags);
	if (unlikely(ret))
		cw_endpoint_kill(ep, ret, "posting a send failed (%d)", ret);

	list_for_each_entry_safe(p, next, &done, entry)
		p->complete(p, cw_post_error(wc));
}
