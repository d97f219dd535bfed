/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A request on its way out (request.c) and back (answer.c). What each small request needs is
 * inline.
 */
#ifndef CW_REQUEST_H
#define CW_REQUEST_H

#include "disk.h"

#define CW_NOMEM_DELAY_MS 20 /* before another try, where memory or space was short */

static inline struct cw_disk *cw_request_disk(struct request *rq)
{
	return rq->q->queuedata;
}

/* ---- unflushed writes: bit 0 of cw_disk.dirt; any context, no locks ---- */

static inline void cw_dirt_left_by_write(struct cw_disk *disk, const struct request *rq)
{
	if ((disk->geo.flags & CW_EXPORT_VOLATILE) && !(rq->cmd_flags & REQ_FUA) &&
	    !test_bit(0, &disk->dirt))
		set_bit(0, &disk->dirt);
}

static inline void cw_dirt_taken_by_flush(struct cw_disk *disk, struct cw_request *req)
{
	req->carries_dirt = test_and_clear_bit(0, &disk->dirt);
}

/* The flush did not happen, or not for sure: what it carried is unflushed still. */
static inline void cw_dirt_back_from_flush(struct cw_disk *disk, struct cw_request *req)
{
	if (req->carries_dirt)
		set_bit(0, &disk->dirt);
	req->carries_dirt = false;
}

/* ---- the memory of a request's bulk data ---- */

/* Any context. Its registration is gone. */
static inline void cw_request_free_data(struct cw_request *req)
{
	sg_free_table_chained(&req->table, CW_INLINE_SEGMENTS);
	req->map.sgl = NULL;
}

/* ---- answer.c ---- */

/* Ends @rq, or sends it again; also blk-mq's complete, on the CPU that it wants. Any context. */
void cw_request_complete(struct request *rq);
/* cw_map.unmapped of a request: ends it. Softirq, or the drain of the link. */
void cw_request_unmapped(struct cw_map *map, int err);

#endif
