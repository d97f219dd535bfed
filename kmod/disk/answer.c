// SPDX-License-Identifier: GPL-2.0-only
/*
 * The completion of a command.
 *
 * A completion arrives in softirq or in a poll. It is checked against the command, and ends the
 * request in that context. Data of a completion is copied only after the request was taken from its
 * slot, which is the right to end it (core/link/slots.h).
 */
#include <linux/highmem.h>
#include <linux/ktime.h>

#include "../core/link/histogram.h"
#include "paths.h"
#include "request.h"
#include "trace.h"

#define CW_GONE_DELAY_MS 1000

static blk_status_t cw_request_to_blk_status(u8 status)
{
	switch (status) {
	case CW_STATUS_OK:
		return BLK_STS_OK;
	case CW_STATUS_NOSPC:
		return BLK_STS_NOSPC;
	case CW_STATUS_UNSUPPORTED:
		return BLK_STS_NOTSUPP;
	case CW_STATUS_MEDIUM:
		return BLK_STS_MEDIUM;
	default:
		return BLK_STS_IOERR;
	}
}

void cw_request_complete(struct request *rq)
{
	struct cw_request *req = blk_mq_rq_to_pdu(rq);

	if (req->map.sgl)
		cw_request_free_data(req);
	/*
	 * NOMEM: the server is short of memory for the moment. GONE: the export is being removed,
	 * and the server ends the session next.
	 */
	if (unlikely(req->status == CW_STATUS_NOMEM || req->status == CW_STATUS_GONE) &&
	    !READ_ONCE(cw_request_disk(rq)->closing)) {
		blk_mq_requeue_request(rq, false);
		blk_mq_delay_kick_requeue_list(rq->q, req->status == CW_STATUS_NOMEM ?
							      CW_NOMEM_DELAY_MS : CW_GONE_DELAY_MS);
		return;
	}
	blk_mq_end_request(rq, cw_request_to_blk_status(req->status));
}

static void cw_request_finish(struct request *rq)
{
	if (!blk_mq_complete_request_remote(rq))
		cw_request_complete(rq);
}

void cw_request_unmapped(struct cw_map *map, int err)
{
	struct cw_request *req = container_of(map, struct cw_request, map);

	cw_request_finish(blk_mq_rq_from_pdu(req));
}

static void cw_request_count(struct cw_link *link, const struct request *rq,
			     const struct cw_request *req, bool transfer)
{
	unsigned int bucket = cw_histogram_bucket(ktime_get_ns() - req->start);
	struct cw_stats *stats = &link->stats;

	if (req->status != CW_STATUS_OK)
		stats->n[CW_N_ERRORS]++;
	switch (req->op) {
	case CW_OP_READ:
		stats->n[CW_N_READS]++;
		stats->n[CW_N_READ_BYTES] += blk_rq_bytes(rq);
		stats->n[CW_N_INLINE_READS] += !transfer;
		stats->read_latency[bucket]++;
		break;
	case CW_OP_WRITE:
		stats->n[CW_N_WRITES]++;
		stats->n[CW_N_WRITTEN_BYTES] += blk_rq_bytes(rq);
		stats->n[CW_N_INLINE_WRITES] += !transfer;
		stats->write_latency[bucket]++;
		break;
	case CW_OP_FLUSH:
		stats->n[CW_N_FLUSHES]++;
		stats->flush_latency[bucket]++;
		break;
	case CW_OP_DISCARD:
		stats->n[CW_N_DISCARDS]++;
		break;
	case CW_OP_WRITE_ZEROES:
		stats->n[CW_N_WRITE_ZEROES]++;
		break;
	}
}

static void cw_request_copy_to_request(struct request *rq, const void *from)
{
	struct req_iterator iter;
	struct bio_vec bv;

	rq_for_each_segment(bv, rq, iter) {
		memcpy_to_bvec(&bv, from);
		from += bv.bv_len;
	}
}

/* True if the completion has what a completion of @rq must have, and nothing else. */
static bool cw_request_fits(const struct request *rq, const struct cw_request *req,
			    struct cw_link *link, const struct cw_message *msg,
			    const struct cw_done *done)
{
	bool inline_read = req->op == CW_OP_READ && !req->map.mr;

	if (msg->invalidated && msg->frame.count == 1 && msg->rkey != req->map.rkey)
		return false;
	if (req->map.mr && !cw_link_moved(link, &req->map, done->status == CW_STATUS_OK))
		return false;
	if (done->flags & CW_DONE_INLINE)
		return inline_read && done->data_len == blk_rq_bytes(rq);
	return !(inline_read && done->status == CW_STATUS_OK);
}

static int cw_request_answered(struct cw_disk *disk, struct cw_link *link,
			       const struct cw_message *msg, const struct cw_done *done)
{
	int slot = cw_link_slot(link, done->slot);
	struct request *rq = slot < 0 ? NULL : cw_link_waiter(link, slot);
	struct cw_request *req;
	bool transfer;

	if (!rq)
		return -EPROTO;
	req = blk_mq_rq_to_pdu(rq);
	/*
	 * A request whose completion is wrong stays in its slot: it is sent again after the link
	 * has been replaced.
	 */
	if (!cw_request_fits(rq, req, link, msg, done) || !cw_link_take_waiter(link, slot, rq))
		return -EPROTO;
	transfer = req->map.mr;
	req->status = done->status;
	if (done->flags & CW_DONE_INLINE)
		cw_request_copy_to_request(rq, msg->data + done->data_off);
	if (req->op == CW_OP_WRITE || req->op == CW_OP_WRITE_ZEROES)
		cw_dirt_left_by_write(disk, rq);
	else if (req->op == CW_OP_FLUSH && done->status != CW_STATUS_OK)
		cw_dirt_back_from_flush(disk, req);
	cw_request_count(link, rq, req, transfer);
	if (unlikely(req->load))
		cw_paths_answered(&disk->hctx[link->index], cw_link_path(link)->number, req,
				  req->status == CW_STATUS_OK);
	trace_cw_disk_answered(disk->name, done);
	if (transfer) {
		bool remotely = msg->invalidated && msg->rkey == req->map.rkey;

		link->stats.n[remotely ? CW_N_REMOTE_INVALIDATIONS : CW_N_INVALIDATIONS]++;
		if (cw_link_unmap(link, &req->map, remotely) == -EINPROGRESS)
			return 0;
	}
	cw_request_finish(rq);
	return 0;
}

int cw_disk_message(struct cw_link *link, struct cw_message *msg)
{
	struct cw_disk *disk = link->priv;
	const struct cw_wire_done *records = msg->records;
	struct cw_done done;
	int i, ret = 0;

	/*
	 * A message that invalidates an rkey must carry exactly one completion; otherwise the
	 * command of that rkey is unknown.
	 */
	if (msg->invalidated && msg->frame.count != 1)
		ret = -EPROTO;
	for (i = 0; !ret && i < msg->frame.count; i++) {
		ret = cw_parse_done(&records[i], &msg->frame, &link->limits, &done);
		if (!ret)
			ret = cw_request_answered(disk, link, msg, &done);
	}
	cw_message_put(msg);
	cw_link_return_credit(link);
	return ret;
}
