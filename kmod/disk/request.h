/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State of a request that sending (request.c) and completion (answer.c) share. Code that runs for
 * each small request is inline.
 */
#ifndef CW_REQUEST_H
#define CW_REQUEST_H

#include "disk.h"

#define CW_NOMEM_DELAY_MS 20 /* before another try, if memory or DMA space was short */

/**
 * cw_request_disk() - returns the disk of a request
 * @rq: the request
 *
 * Context: Any context.
 * Return: the disk.
 */
static inline struct cw_disk *cw_request_disk(struct request *rq)
{
	return rq->q->queuedata;
}

/**
 * cw_request_traits() - returns the properties of a request by which gates judge it
 * @rq: the request
 *
 * Context: Any context.
 * Return: CW_TRAIT_*.
 */
u32 cw_request_traits(struct request *rq);

/* ---- unflushed writes: bit 0 of cw_disk.dirt; any context, no locks ---- */

/**
 * cw_dirt_left_by_write() - notes that a completed write may need a flush
 * @disk: the disk
 * @rq: the request
 *
 * Context: Any context.
 */
static inline void cw_dirt_left_by_write(struct cw_disk *disk, const struct request *rq)
{
	if ((disk->geo.flags & CW_EXPORT_VOLATILE) && !(rq->cmd_flags & REQ_FUA) &&
	    !test_bit(0, &disk->dirt))
		set_bit(0, &disk->dirt);
}

/**
 * cw_dirt_taken_by_flush() - assigns all unflushed writes to a flush
 * @disk: the disk
 * @req: private part of the request
 *
 * Context: Any context.
 */
static inline void cw_dirt_taken_by_flush(struct cw_disk *disk, struct cw_request *req)
{
	req->carries_dirt = test_and_clear_bit(0, &disk->dirt);
}

/**
 * cw_dirt_back_from_flush() - returns unflushed writes from a flush that failed or whose result is
 * unknown
 * @disk: the disk
 * @req: private part of the request
 *
 * Context: Any context.
 */
static inline void cw_dirt_back_from_flush(struct cw_disk *disk, struct cw_request *req)
{
	if (req->carries_dirt)
		set_bit(0, &disk->dirt);
	req->carries_dirt = false;
}

/* ---- the scatterlist of a request with a transfer ---- */

/**
 * cw_request_free_data() - frees the scatterlist of a request with a transfer
 * @req: private part of the request
 *
 * The caller has invalidated and unmapped the memory region.
 * Context: Any context.
 */
static inline void cw_request_free_data(struct cw_request *req)
{
	sg_free_table_chained(&req->table, CW_INLINE_SEGMENTS);
	req->map.sgl = NULL;
}

/* ---- answer.c ---- */

/**
 * cw_request_complete() - ends a request, or gives it back to blk-mq to be sent again
 * @rq: a request whose cw_request.status is set
 *
 * Also the complete operation of blk-mq.
 * Context: Any context.
 */
void cw_request_complete(struct request *rq);
/**
 * cw_request_unmapped() - the callback unmapped() of a request's struct cw_map: ends the request
 * @map: the mapping in struct cw_request
 * @err: unused; the request ends with the status from the server's completion message
 *
 * Called when the memory region is invalidated, after cw_link_unmap() returned -EINPROGRESS.
 * Context: Softirq, or process context while the link is polled or drained. Does not sleep.
 */
void cw_request_unmapped(struct cw_map *map, int err);

#endif
