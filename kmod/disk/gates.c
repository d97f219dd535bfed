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
	unsigned int path;

	spin_lock_init(&g->lock);
	INIT_LIST_HEAD(&g->held);
	for (path = 0; path < CW_WIRE_PATHS; path++)
		INIT_LIST_HEAD(&g->unfenced[path]);
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

static void cw_gates_end(struct list_head *list, blk_status_t status)
{
	struct request *rq, *next;

	list_for_each_entry_safe(rq, next, list, queuelist) {
		list_del_init(&rq->queuelist);
		blk_mq_end_request(rq, status);
	}
}

/*
 * Judges a request that was sent. The caller holds the lock, and ends the request after it if the
 * verdict is not CW_VERDICT_HOLD. UNFENCED is set before that.
 */
static enum cw_verdict cw_gates_judge_sent(struct cw_gates *g, struct request *rq, u8 path)
{
	enum cw_verdict verdict = cw_gates_judge_unfenced(g->set, cw_request_traits(rq));

	if (verdict != CW_VERDICT_HOLD) {
		g->unanswered |= 1U << path;
		/* Pairs with cw_queue_rq() of a writer that learns of the end of @rq. */
		smp_store_release(&g->set, g->set | CW_GATE_UNFENCED);
	}
	return verdict;
}

void cw_gates_change(struct cw_gates *g, u32 open, u32 close)
{
	struct request *rq, *next;
	enum cw_verdict verdict;
	LIST_HEAD(failed_fast);
	unsigned long flags;
	LIST_HEAD(failed);
	LIST_HEAD(again);
	unsigned int path;

	spin_lock_irqsave(&g->lock, flags);
	smp_store_release(&g->set, (g->set & ~open) | close); /* pairs with cw_queue_rq() */
	if ((open | close) & (CW_GATE_FAILING | CW_GATE_NO_PATH | CW_GATE_FORCED))
		list_splice_init(&g->held, &again);
	for (path = 0; path < CW_WIRE_PATHS; path++) {
		list_for_each_entry_safe(rq, next, &g->unfenced[path], queuelist) {
			verdict = cw_gates_judge_sent(g, rq, path);
			if (verdict == CW_VERDICT_HOLD)
				continue;
			list_move_tail(&rq->queuelist,
				       verdict == CW_VERDICT_FAIL ? &failed : &failed_fast);
		}
	}
	spin_unlock_irqrestore(&g->lock, flags);
	cw_gates_requeue(&again);
	cw_gates_end(&failed, cw_gates_status(CW_VERDICT_FAIL));
	cw_gates_end(&failed_fast, cw_gates_status(CW_VERDICT_FAIL_FAST));
}

void cw_gates_take_back(struct cw_gates *g, struct request *rq, u8 path)
{
	enum cw_verdict verdict;
	unsigned long flags;

	if (!(cw_request_traits(rq) & CW_TRAIT_CHANGE)) {
		/* On another path, a server whose disk hangs would keep it as long again. */
		if (READ_ONCE(g->set) & CW_GATE_FORCED)
			blk_mq_end_request(rq, BLK_STS_IOERR);
		else
			blk_mq_requeue_request(rq, false);
		return;
	}
	spin_lock_irqsave(&g->lock, flags);
	/* The gates may have changed since the path was lost. */
	verdict = cw_gates_judge_sent(g, rq, path);
	if (verdict == CW_VERDICT_HOLD)
		list_add_tail(&rq->queuelist, &g->unfenced[path]);
	spin_unlock_irqrestore(&g->lock, flags);
	if (verdict != CW_VERDICT_HOLD)
		blk_mq_end_request(rq, cw_gates_status(verdict));
}

void cw_gates_fenced(struct cw_gates *g, u8 path)
{
	unsigned long flags;
	LIST_HEAD(again);

	spin_lock_irqsave(&g->lock, flags);
	list_splice_init(&g->unfenced[path], &again);
	g->unanswered &= ~(1U << path);
	if ((g->set & CW_GATE_UNFENCED) && !g->unanswered) {
		/* Pairs with cw_queue_rq(). */
		smp_store_release(&g->set, g->set & ~CW_GATE_UNFENCED);
		list_splice_tail_init(&g->held, &again);
	}
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
	unsigned int path;
	bool hold;

	spin_lock_irqsave(&g->lock, flags);
	hold = !list_empty(&g->held);
	for (path = 0; !hold && path < CW_WIRE_PATHS; path++)
		hold = !list_empty(&g->unfenced[path]);
	spin_unlock_irqrestore(&g->lock, flags);
	return hold;
}
