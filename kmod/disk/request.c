// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a block layer request to a command of the protocol.
 *
 * queue_rq() makes a command of the request. Data of up to the inline size is copied into the
 * message, or comes back in one. The pages of larger data are registered for the duration of the
 * command. One hardware queue is one link, and the tag is the slot of the protocol. The completion
 * ends the request (answer.c). The data path allocates only for long scatterlists (a mempool) and
 * for discards.
 *
 * A request that was given to a link is in its slot of the link. The context that takes the request
 * from the slot ends the request (core/link/slots.h). This is the completion, or
 * cw_disk_take_back() after the link was drained.
 */
#include <linux/bio.h>
#include <linux/ktime.h>

#include "../core/session/client/liveness.h"
#include "../core/session/client/path_list.h"
#include "paths.h"
#include "request.h"
#include "trace.h"

/* Flushes and discards may take long on the server's disk; probes detect a dead path. */
#define CW_SLOW_TIMEOUT (600 * HZ)
#define CW_UNMAPPABLE_TIMEOUT (10 * HZ)

unsigned int cw_request_size(void)
{
	return sizeof(struct cw_request) + CW_INLINE_SEGMENTS * sizeof(struct scatterlist);
}

/* ---- sending ---- */

static int cw_request_map_data(struct cw_link *link, struct cw_request *req, struct request *rq)
{
	int ret;

	req->table.sgl = req->first;
	ret = sg_alloc_table_chained(&req->table, blk_rq_nr_phys_segments(rq), req->first,
				     CW_INLINE_SEGMENTS);
	if (ret)
		return -EAGAIN;
	req->map.sgl = req->table.sgl;
	req->map.nents = blk_rq_map_sg(rq, req->table.sgl);
	req->map.to_peer = rq_data_dir(rq) == WRITE;
	ret = cw_link_map(link, &req->map);
	if (ret)
		sg_free_table_chained(&req->table, CW_INLINE_SEGMENTS);
	return ret;
}

/* Fills one range of the protocol for each bio of the discard. The caller frees the ranges. */
static struct cw_wire_range *cw_request_make_ranges(struct request *rq, u32 *len)
{
	unsigned int n = blk_rq_nr_discard_segments(rq), i = 0;
	struct cw_wire_range *ranges = kmalloc_array(n, sizeof(*ranges), GFP_ATOMIC);
	struct bio *bio;

	if (!ranges)
		return NULL;
	if (n == 1) {
		/*
		 * If one segment is allowed, adjoining bios are merged, and blk-mq does not count
		 * them.
		 */
		ranges[0].offset = cpu_to_le64(blk_rq_pos(rq) << SECTOR_SHIFT);
		ranges[0].len = cpu_to_le64(blk_rq_bytes(rq));
		*len = sizeof(*ranges);
		return ranges;
	}
	__rq_for_each_bio(bio, rq) {
		if (WARN_ON_ONCE(i == n))
			break;
		ranges[i].offset = cpu_to_le64(bio->bi_iter.bi_sector << SECTOR_SHIFT);
		ranges[i++].len = cpu_to_le64(bio->bi_iter.bi_size);
	}
	*len = i * sizeof(*ranges);
	return ranges;
}

/* Fills @cmd. -EAGAIN, -ENOMEM: memory or DMA space is short, the request can be tried again. */
static int cw_request_make_command(struct cw_link *link, struct request *rq, struct cw_request *req,
				   struct cw_cmd *cmd, struct cw_wire_range **ranges, bool stable)
{
	u32 len = blk_rq_bytes(rq);
	int ret;

	cmd->slot = rq->tag;
	cmd->offset = blk_rq_pos(rq) << SECTOR_SHIFT;
	cmd->len = len;
	switch (req_op(rq)) {
	case REQ_OP_READ:
		cmd->op = CW_OP_READ;
		break;
	case REQ_OP_WRITE:
		cmd->op = CW_OP_WRITE;
		break;
	case REQ_OP_FLUSH:
		cmd->op = CW_OP_FLUSH;
		cmd->offset = 0;
		cmd->len = 0;
		cw_dirt_taken_by_flush(cw_request_disk(rq), req);
		return 0;
	case REQ_OP_DISCARD:
		cmd->op = CW_OP_DISCARD;
		cmd->flags = CW_CMD_INLINE;
		cmd->offset = 0;
		cmd->len = 0;
		*ranges = cw_request_make_ranges(rq, &cmd->data_len);
		return *ranges ? 0 : -EAGAIN;
	case REQ_OP_WRITE_ZEROES:
		cmd->op = CW_OP_WRITE_ZEROES;
		if (rq->cmd_flags & REQ_NOUNMAP)
			cmd->flags |= CW_CMD_NOUNMAP;
		if (stable)
			cmd->flags |= CW_CMD_FUA;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
	if (stable && cmd->op == CW_OP_WRITE)
		cmd->flags |= CW_CMD_FUA;
	if (len <= link->limits.inline_size) {
		cmd->flags |= CW_CMD_INLINE;
		if (cmd->op == CW_OP_WRITE)
			cmd->data_len = len;
		return 0;
	}
	ret = cw_request_map_data(link, req, rq);
	if (ret)
		return ret;
	cmd->flags |= CW_CMD_BULK;
	cmd->rkey = req->map.rkey;
	cmd->addr = req->map.addr;
	return 0;
}

/*
 * True if the DMA layer has refused @rq for so long (CW_UNMAPPABLE_TIMEOUT) that it always will. A
 * refusal while other users hold all of its space is temporary.
 */
static bool cw_request_is_unmappable(struct request *rq, struct cw_request *req)
{
	if (!(rq->rq_flags & RQF_DONTPREP)) {
		rq->rq_flags |= RQF_DONTPREP;
		req->unmappable_since = jiffies;
	}
	if (time_before(jiffies, req->unmappable_since + CW_UNMAPPABLE_TIMEOUT))
		return false;
	pr_err_ratelimited("causeway: %s: the DMA layer does not map %u bytes in %u segments\n",
			   cw_request_disk(rq)->name, blk_rq_bytes(rq),
			   blk_rq_nr_phys_segments(rq));
	return true;
}

/*
 * The weight of @rq on its path. Other operations than reads and writes have none: their time says
 * more of the server's disk than of the path, and a long flush must not make the path look silent.
 */
static u32 cw_request_load(const struct request *rq)
{
	bool has_data = req_op(rq) == REQ_OP_READ || req_op(rq) == REQ_OP_WRITE;

	return has_data ? CW_CHOICE_COMMAND + blk_rq_bytes(rq) : 0;
}

/*
 * Ends a batch. The block layer may call this after it stopped the queue: when the requests of a
 * task go to more than one hardware queue, each change of the queue ends a batch. Linux 5.10 is in
 * no RCU section here. If the path was stopped since the last command, its links need no flush.
 */
static void cw_commit_rqs(struct blk_mq_hw_ctx *hctx)
{
	struct cw_disk *disk = hctx->queue->queuedata;
	struct cw_path *path;

	rcu_read_lock();
	path = cw_paths_of(disk, hctx->driver_data);
	if (unlikely(READ_ONCE(disk->has_spread)))
		cw_paths_end_message(disk, hctx->driver_data, hctx->queue_num);
	else if (path)
		cw_link_flush(path->links[hctx->queue_num]);
	rcu_read_unlock();
}

/*
 * Makes blk-mq try @rq again in CW_NOMEM_DELAY_MS. BLK_STS_RESOURCE would do that too, but then
 * blk-mq keeps all later requests of the hardware queue behind @rq until @rq passes or fails.
 */
static blk_status_t cw_map_later(struct request *rq, struct blk_mq_hw_ctx *hctx, bool last)
{
	struct request_queue *q = rq->q;

	if (last)
		cw_commit_rqs(hctx); /* blk-mq announces the end of a batch only once */
	blk_mq_requeue_request(rq, false); /* @rq may have ended when this returns */
	blk_mq_delay_kick_requeue_list(q, CW_NOMEM_DELAY_MS);
	return BLK_STS_OK;
}

static blk_status_t cw_queue_rq(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *bd)
{
	struct request *rq = bd->rq;
	struct cw_disk *disk = cw_request_disk(rq);
	struct cw_request *req = blk_mq_rq_to_pdu(rq);
	struct cw_hctx *private = hctx->driver_data;
	struct cw_wire_range *ranges = NULL;
	struct cw_cmd cmd = {};
	struct cw_path *path;
	struct cw_link *link;
	blk_status_t status;
	u32 gates, load = 0;
	u8 spread;
	int ret;

	gates = smp_load_acquire(&disk->gates.set); /* pairs with cw_gates_change() */
	if (unlikely(gates) && !cw_hold_passes(disk, rq, &status)) {
		if (bd->last)
			cw_commit_rqs(hctx); /* for the commands of the batch that passed */
		return status;
	}
	spread = smp_load_acquire(&disk->spread); /* has_spread before it: see cw_paths_set() */
	if (unlikely(spread)) {
		if (spread == CW_PATH_POLICY_AUTO)
			load = cw_request_load(rq);
		if (READ_ONCE(private->choose))
			cw_paths_choose(disk, private, hctx->queue_num,
					load ?: CW_CHOICE_COMMAND);
	}
	path = cw_paths_of(disk, private);
	if (unlikely(!path))
		return BLK_STS_RESOURCE; /* as after the death of the link, see below */
	link = path->links[hctx->queue_num];
	req->map = (struct cw_map) { .unmapped = cw_request_unmapped };
	req->carries_dirt = false;
	WRITE_ONCE(req->path, path);
	ret = cw_request_make_command(link, rq, req, &cmd, &ranges,
				      (rq->cmd_flags & REQ_FUA) || (gates & CW_GATE_STABLE));
	if (unlikely(ret))
		goto failed;
	if (unlikely(rq->rq_flags & RQF_DONTPREP))
		rq->rq_flags &= ~RQF_DONTPREP; /* the DMA layer has mapped it in the end */
	req->op = cmd.op;
	req->load = 0;
	if (unlikely(load))
		cw_paths_sends(private, path->number, req, load);
	WRITE_ONCE(req->start, ktime_get_ns());
	if (cmd.op != CW_OP_READ && cmd.op != CW_OP_WRITE)
		rq->timeout = CW_SLOW_TIMEOUT;
	blk_mq_start_request(rq);
	trace_cw_disk_queued(disk->name, &cmd);
	ret = cw_link_command(link, &cmd, req->map.mr ? &req->map : NULL, rq->bio, ranges,
			      bd->last, rq);
	kfree(ranges);
	if (likely(!ret)) {
		if (unlikely(READ_ONCE(path->idle)))
			cw_path_busy(path);
		if (bd->last && unlikely(READ_ONCE(disk->has_spread)))
			cw_paths_end_message(disk, private, hctx->queue_num);
		return BLK_STS_OK;
	}

	if (load)
		cw_paths_sends_not(private, path->number, load);
	if (req->map.sgl) {
		cw_link_unmap(link, &req->map, true); /* its registration was not posted */
		cw_request_free_data(req);
	}
	cw_dirt_back_from_flush(disk, req);
failed:
	/*
	 * -EAGAIN: no room in the link. -ENOTCONN: the link is dead. Soon the queue will be stopped
	 * or get another path; until then the request waits as if there were no room.
	 */
	if (ret == -EAGAIN || ret == -ENOTCONN) {
		WRITE_ONCE(private->choose, true); /* another path may have room */
		return BLK_STS_RESOURCE;
	}
	if (ret == -ENOMEM && !cw_request_is_unmappable(rq, req))
		return cw_map_later(rq, hctx, bd->last);
	return ret == -EOPNOTSUPP ? BLK_STS_NOTSUPP : BLK_STS_IOERR;
}

void cw_disk_room(struct cw_link *link)
{
	struct cw_disk *disk = link->priv;
	struct gendisk *gendisk = READ_ONCE(disk->gendisk);

	if (gendisk && READ_ONCE(disk->path))
		blk_mq_run_hw_queues(gendisk->queue, true);
}

/* ---- after the loss of a path ---- */

static void cw_request_take_back(struct cw_link *link, void *waiter)
{
	struct request *rq = waiter;
	struct cw_request *req = blk_mq_rq_to_pdu(rq);

	if (req->map.sgl) {
		cw_link_unmap(link, &req->map, false);
		cw_request_free_data(req);
	}
	cw_dirt_back_from_flush(cw_request_disk(rq), req);
	link->stats.n[CW_N_REPLAYED]++;
	cw_gates_take_back(&cw_request_disk(rq)->gates, rq, cw_link_path(link)->number);
}

unsigned int cw_disk_take_back(struct cw_disk *disk, struct cw_path *path)
{
	unsigned int i, taken = 0;

	lockdep_assert_held(&disk->lock);
	for (i = 0; i < path->nr_links; i++)
		taken += cw_link_collect(path->links[i], cw_request_take_back);
	return taken;
}

/* ---- operations for the block layer ---- */

static int cw_init_hctx(struct blk_mq_hw_ctx *hctx, void *data, unsigned int index)
{
	struct cw_disk *disk = data;

	hctx->driver_data = &disk->hctx[index];
	return 0;
}

static int cw_poll(struct blk_mq_hw_ctx *hctx, struct io_comp_batch *batch)
{
	struct cw_disk *disk = hctx->queue->queuedata;
	struct cw_path *path;
	unsigned int i;
	int n = 0;

	rcu_read_lock();
	path = cw_paths_of(disk, hctx->driver_data);
	if (likely(!READ_ONCE(disk->has_spread))) {
		if (path)
			n = cw_link_poll(path->links[hctx->queue_num]);
	} else {
		for (i = 0; i < CW_WIRE_PATHS; i++) {
			path = rcu_dereference(disk->usable[i]);
			if (path)
				n += cw_link_poll(path->links[hctx->queue_num]);
		}
	}
	rcu_read_unlock();
	return n;
}

/*
 * With one path, a command without an answer ends the connection. With several, the path stays: it
 * answers its probes, so the server's disk hangs, and the command would hang on the next path too.
 * Each new connection would leave commands at the server. A detach does not wait for them, and not
 * for the fence of a path either.
 */
static enum blk_eh_timer_return cw_timeout(struct request *rq)
{
	struct cw_disk *disk = cw_request_disk(rq);
	bool closing = READ_ONCE(disk->closing);

	if (!closing && READ_ONCE(disk->session->state) == CW_STATE_LIVE)
		pr_warn_ratelimited("causeway: %s/%s: a command had no answer for %u s, although the session is live: see the disk of the server\n",
				    disk->session->config.server, disk->session->config.name,
				    jiffies_to_msecs(rq->timeout) / 1000);
	if ((cw_session_count_paths(disk->session) == 1 || closing) &&
	    cw_paths_kick(disk, rq, "a command had no answer in time") && closing)
		cw_hold_force_later(disk);
	return BLK_EH_RESET_TIMER;
}

static void cw_map_queues(struct blk_mq_tag_set *set)
{
	struct cw_disk *disk = set->driver_data;
	unsigned int polled = set->nr_maps > 1 ? disk->session->config.poll_queues : 0;

	set->map[HCTX_TYPE_DEFAULT].nr_queues = set->nr_hw_queues - polled;
	set->map[HCTX_TYPE_DEFAULT].queue_offset = 0;
	blk_mq_map_queues(&set->map[HCTX_TYPE_DEFAULT]);
	if (!polled)
		return;
	set->map[HCTX_TYPE_READ].nr_queues = 0;
	set->map[HCTX_TYPE_POLL].nr_queues = polled;
	set->map[HCTX_TYPE_POLL].queue_offset = set->nr_hw_queues - polled;
	blk_mq_map_queues(&set->map[HCTX_TYPE_POLL]);
}

const struct blk_mq_ops cw_disk_mq_ops = {
	.queue_rq = cw_queue_rq,
	.commit_rqs = cw_commit_rqs,
	.complete = cw_request_complete,
	.timeout = cw_timeout,
	.init_hctx = cw_init_hctx,
	.poll = cw_poll,
	.map_queues = cw_map_queues,
};
