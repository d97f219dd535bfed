// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
#include "gates.h"

#ifdef __KERNEL__
#include "request.h"
#endif

static blk_status_t cw_gates_status(enum cw_verdict verdict)
{
	switch (verdict) {
	case CW_VERDICT_FAIL:
		return BLK_STS_IOERR;
	case CW_VERDICT_FAIL_FAST:
		return BLK_STS_TRANSPORT;
	default:
		return BLK_STS_OK;
	}
}

void cw_gates_init(struct cw_gates *g)
{
	spin_lock_init(&g->lock);
	INIT_LIST_HEAD(&g->held);
}

/* Gives requests to blk-mq, which sends them through queue_rq() again. */
static void cw_gates_requeue(struct list_head *list)
{
	struct request *rq, *next;

	list_for_each_entry_safe(rq, next, list, queuelist) {
		list_del_init(&rq->queuelist); /* blk-mq uses the entry itself */
		blk_mq_requeue_request(rq, false);
	}
}

void cw_gates_change(struct cw_gates *g, u32 open, u32 close)
{
	unsigned long flags;
	LIST_HEAD(again);

	spin_lock_irqsave(&g->lock, flags);
	smp_store_release(&g->set, (g->set & ~open) | close); /* pairs with cw_queue_rq() */
	if ((open & CW_GATE_NO_PATH) || (close & CW_GATE_FAILING))
		list_splice_init(&g->held, &again);
	spin_unlock_irqrestore(&g->lock, flags);
	cw_gates_requeue(&again);
}

bool cw_gates_pass(struct cw_gates *g, struct request *rq, blk_status_t *status, bool *first)
{
	enum cw_verdict verdict;
	unsigned long flags;

	*first = false;
	spin_lock_irqsave(&g->lock, flags);
	verdict = cw_gates_judge(g->set, cw_request_traits(rq));
	if (verdict == CW_VERDICT_HOLD) {
		rq->rq_flags &= ~RQF_DONTPREP; /* its time is measured anew */
		*first = (g->set & CW_GATE_NO_PATH) && list_empty(&g->held);
		list_add_tail(&rq->queuelist, &g->held);
	}
	spin_unlock_irqrestore(&g->lock, flags);
	*status = cw_gates_status(verdict);
	return verdict == CW_VERDICT_PASS;
}

bool cw_gates_hold(struct cw_gates *g)
{
	unsigned long flags;
	bool hold;

	spin_lock_irqsave(&g->lock, flags);
	hold = !list_empty(&g->held);
	spin_unlock_irqrestore(&g->lock, flags);
	return hold;
}
