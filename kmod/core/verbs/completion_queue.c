// SPDX-License-Identifier: GPL-2.0-only
/*
 * The completion queue of an endpoint.
 */
#include <linux/rcupdate.h>

#include "endpoint.h"

#define CW_POLL_BUDGET 256 /* completions of one run of a work item */

/*
 * A completion queue of our own is for an owner that must complete on a certain work queue. The
 * work polls as the RDMA core does: until the queue is empty and armed again, but for a bounded
 * number of completions in one run.
 */
static void cw_endpoint_poll(struct work_struct *work)
{
	struct cw_endpoint *ep = container_of(work, struct cw_endpoint, poll_work);
	int n, i, left = CW_POLL_BUDGET;

	do {
		do {
			n = ib_poll_cq(ep->cq, CW_EP_BATCH, ep->wc);
			for (i = 0; i < n; i++) {
				/* A flushed request within a chain has no entry. */
				if (likely(ep->wc[i].wr_cqe))
					ep->wc[i].wr_cqe->done(ep->cq, &ep->wc[i]);
			}
			left -= max(n, 0);
		} while (n == CW_EP_BATCH && left > 0);
		if (left <= 0) {
			queue_work(ep->workqueue, &ep->poll_work);
			return;
		}
	} while (ib_req_notify_cq(ep->cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS) > 0);
}

static void cw_endpoint_completed(struct ib_cq *cq, void *context)
{
	struct cw_endpoint *ep = context;

	queue_work(ep->workqueue, &ep->poll_work);
}

struct ib_cq *cw_endpoint_create_cq(struct cw_endpoint *ep, u32 cqes,
				    const struct cw_endpoint_shape *shape)
{
	struct ib_device *ib = ep->cm->device;
	struct ib_cq_init_attr attr = {
		.cqe = cqes,
		.comp_vector = shape->vector % max(ib->num_comp_vectors, 1),
	};
	struct ib_cq *cq;

	/* A completion that does not fit would end the queue, and all queue pairs on it. */
	if (cqes > (u32)ib->attrs.max_cqe)
		return ERR_PTR(-EOPNOTSUPP);
	if (!shape->workqueue)
		return ib_alloc_cq(ib, ep, attr.cqe, attr.comp_vector, shape->poll);
	INIT_WORK(&ep->poll_work, cw_endpoint_poll);
	ep->workqueue = shape->workqueue;
	cq = ib_create_cq(ib, cw_endpoint_completed, NULL, ep, &attr);
	if (!IS_ERR(cq))
		ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
	return cq;
}

static void cw_endpoint_not_polled(struct ib_cq *cq, void *context)
{
}

/*
 * ib_poll_handler() of drivers/infiniband/core/cq.c uses the queue after irq_poll_complete(), which
 * is all that ib_free_cq() waits for. A grace period of RCU waits for softirqs and interrupts
 * (Documentation/RCU/Design/Requirements): for a poll, and for an interrupt that still calls the
 * former handler. Soft-iWARP calls that handler from a thread too, for a queue pair that is not
 * destroyed yet.
 */
void cw_endpoint_stop_polling(struct cw_endpoint *ep)
{
	if (!ep->cq || ep->workqueue || ep->cq->poll_ctx != IB_POLL_SOFTIRQ)
		return;
	WRITE_ONCE(ep->cq->comp_handler, cw_endpoint_not_polled);
	irq_poll_disable(&ep->cq->iop);
	ep->polling_stopped = true;
	ep->last_poll = get_state_synchronize_rcu();
}

void cw_endpoint_free_cq(struct cw_endpoint *ep)
{
	if (ep->polling_stopped) {
		cond_synchronize_rcu(ep->last_poll);
		/* Otherwise ib_free_cq() would wait for ever: it disables it, too. */
		irq_poll_enable(&ep->cq->iop);
		ep->polling_stopped = false;
	}
	if (ep->cq && ep->workqueue) {
		cancel_work_sync(&ep->poll_work);
		ib_destroy_cq(ep->cq);
	} else if (ep->cq) {
		ib_free_cq(ep->cq);
	}
	ep->cq = NULL;
}
