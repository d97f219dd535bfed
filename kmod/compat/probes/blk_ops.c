// SPDX-License-Identifier: GPL-2.0-only
/* timeout(rq) of Linux 6.0, poll(hctx, batch) of 5.16 and map_queues() without a result of 6.0. */
#include <linux/blk-mq.h>

void probe(const struct blk_mq_ops *ops, struct request *rq, struct io_comp_batch *batch);
void probe(const struct blk_mq_ops *ops, struct request *rq, struct io_comp_batch *batch)
{
	void (*map)(struct blk_mq_tag_set *set) = ops->map_queues;

	map(NULL);
	ops->timeout(rq);
	ops->poll(rq->mq_hctx, batch);
}
