// SPDX-License-Identifier: GPL-2.0-only
/* blk_rq_map_sg(rq, sg), without the queue since Linux 6.16. */
#include <linux/blk-mq.h>

int probe(struct request *rq, struct scatterlist *sg);
int probe(struct request *rq, struct scatterlist *sg)
{
	return blk_rq_map_sg(rq, sg);
}
