// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of a disk that has no path.
 *
 * They wait in the stopped queue of blk-mq. After the time for fast failure the queue runs again
 * with the gate NO_PATH: requests that must fail fast end with BLK_STS_TRANSPORT, and all others
 * are put on the held list, each with its tag. After the I/O timeout all requests fail. Both times
 * count from the loss of the path, not from the start of a request.
 *
 * The gates (gates.h) are written after the data that they guard (links, limits): a queue_rq() that
 * sees no gate sees any latched loss, and a path or none. If the path is lost meanwhile, the
 * request is taken back from the slots, or is tried again. The block layer may call commit_rqs()
 * and poll() on a stopped queue, so these read the path under RCU and find none.
 *
 * A write that was sent and not answered waits for the fence of its path, even if the disk has
 * another path (gates.h). The WELCOME of a login fences all paths. If such a write ends without an
 * answer, because of one of the two times or a detach, its links are drained. No write that is
 * submitted after this end is sent until the fence: by then the server has no command left of the
 * ended request (docs/PROTOCOL.md section 4, rule 23, and section 7, rule 13).
 *
 * A final refusal fails all requests like the I/O timeout, and no later path lifts that gate.
 *
 * The work has a timer of its own, because the session does not know of the time for fast failure.
 */
#include "request.h"

static bool cw_hold_must_fail_fast(const struct request *rq)
{
	struct bio *bio;

	if (!(rq->cmd_flags & REQ_FAILFAST_TRANSPORT))
		return false;
	if (!(rq->rq_flags & RQF_MIXED_MERGE))
		return true;
	/*
	 * A request without the flag may have been merged into it. Fail fast only if all bios may.
	 */
	__rq_for_each_bio(bio, rq)
		if (!(bio->bi_opf & REQ_FAILFAST_TRANSPORT))
			return false;
	return true;
}

u32 cw_request_traits(struct request *rq)
{
	u32 traits = 0;

	if (cw_hold_must_fail_fast(rq))
		traits |= CW_TRAIT_FAST;
	if (req_op(rq) == REQ_OP_FLUSH || (rq->cmd_flags & REQ_FUA))
		traits |= CW_TRAIT_STABLE;
	if (req_op(rq) != REQ_OP_READ && req_op(rq) != REQ_OP_FLUSH)
		traits |= CW_TRAIT_CHANGE;
	return traits;
}

bool cw_hold_passes(struct cw_disk *disk, struct request *rq, blk_status_t *status)
{
	bool first, passes = cw_gates_pass(&disk->gates, rq, status, &first);

	if (first)
		cw_session_hurry(disk->session);
	return passes;
}

bool cw_hold_waits(struct cw_disk *disk)
{
	lockdep_assert_held(&disk->lock);
	if (!cw_hold_has_queue(disk) || (disk->gates.set & CW_GATE_FAILING))
		return false;
	return disk->quiesced || cw_gates_hold(&disk->gates);
}

bool cw_hold_has_queue(const struct cw_disk *disk)
{
	lockdep_assert_held(&disk->lock);
	return disk->gendisk && !disk->deleted;
}

static void cw_hold_gates(struct cw_disk *disk, u32 open, u32 close)
{
	lockdep_assert_held(&disk->lock);
	cw_gates_change(&disk->gates, open, close);
}

static void cw_hold_run(struct cw_disk *disk)
{
	if (!cw_hold_has_queue(disk))
		return;
	if (disk->quiesced) {
		disk->quiesced = false;
		blk_mq_unquiesce_queue(disk->gendisk->queue);
	}
	blk_mq_kick_requeue_list(disk->gendisk->queue);
	blk_mq_run_hw_queues(disk->gendisk->queue, true);
}

/* The time, in jiffies, at which the disk will have had no path for @seconds. */
static unsigned long cw_hold_until(const struct cw_disk *disk, u32 seconds)
{
	return disk->stopped_at + cw_timeout_jiffies(seconds);
}

/* Starts the timer for the earlier of the two times that has not passed. */
static void cw_hold_wait(struct cw_disk *disk)
{
	u32 fast_fail = READ_ONCE(disk->session->config.fast_fail);
	u32 io_timeout = READ_ONCE(disk->session->config.io_timeout);
	unsigned long at, fast = cw_hold_until(disk, fast_fail);
	unsigned long all = cw_hold_until(disk, io_timeout);
	bool waits_fast = fast_fail != CW_FAST_FAIL_OFF &&
			  !(disk->gates.set & (CW_GATE_NO_PATH | CW_GATE_FAILING));
	bool waits_all = io_timeout && !(disk->gates.set & CW_GATE_FAILING);

	if (!waits_fast && !waits_all)
		return;
	at = waits_fast && (!waits_all || time_before(fast, all)) ? fast : all;
	mod_delayed_work(cw_hold_wq, &disk->patience, time_before(jiffies, at) ? at - jiffies : 0);
}

void cw_hold_timeouts_changed(struct cw_disk *disk)
{
	lockdep_assert_held(&disk->lock);
	if (!disk->path && cw_hold_has_queue(disk))
		cw_hold_wait(disk);
}

static void cw_hold_work(struct work_struct *work)
{
	struct cw_disk *disk = container_of(to_delayed_work(work), struct cw_disk, patience);
	u32 fast_fail = READ_ONCE(disk->session->config.fast_fail);
	u32 io_timeout = READ_ONCE(disk->session->config.io_timeout);
	unsigned long now = jiffies;
	u32 close = 0;

	mutex_lock(&disk->lock);
	if (READ_ONCE(disk->overdue))
		cw_hold_force(disk);
	if (disk->path || !cw_hold_has_queue(disk)) {
		mutex_unlock(&disk->lock);
		return;
	}
	if (io_timeout && time_after_eq(now, cw_hold_until(disk, io_timeout)))
		close |= CW_GATE_FAILING;
	if (fast_fail != CW_FAST_FAIL_OFF && time_after_eq(now, cw_hold_until(disk, fast_fail)))
		close |= CW_GATE_NO_PATH;
	if (close & ~disk->gates.set) {
		cw_hold_gates(disk, 0, close);
		cw_hold_run(disk);
	}
	cw_hold_wait(disk);
	mutex_unlock(&disk->lock);
}

void cw_hold_init(struct cw_disk *disk)
{
	cw_gates_init(&disk->gates);
	INIT_DELAYED_WORK(&disk->patience, cw_hold_work);
}

void cw_hold_end(struct cw_disk *disk)
{
	cancel_delayed_work_sync(&disk->patience);
}

void cw_hold_stop(struct cw_disk *disk)
{
	lockdep_assert_held(&disk->lock);
	if (cw_hold_has_queue(disk) && !disk->quiesced) {
		disk->quiesced = true;
		blk_mq_quiesce_queue_nowait(disk->gendisk->queue);
	}
	disk->stopped_at = jiffies;
	cw_hold_wait(disk);
}

void cw_hold_go(struct cw_disk *disk)
{
	lockdep_assert_held(&disk->lock);
	/* A detach that has begun to fail I/O goes on. */
	cw_hold_gates(disk, CW_GATE_NO_PATH | (disk->closing ? 0 : CW_GATE_FAILING), 0);
	cw_hold_run(disk);
}

void cw_hold_fail(struct cw_disk *disk)
{
	cw_hold_gates(disk, 0, CW_GATE_FAILING);
	cw_hold_run(disk);
}

void cw_hold_force(struct cw_disk *disk)
{
	cw_hold_gates(disk, 0, CW_GATE_FORCED);
	cw_hold_taken_back(disk);
}

void cw_hold_force_later(struct cw_disk *disk)
{
	WRITE_ONCE(disk->overdue, true);
	mod_delayed_work(cw_hold_wq, &disk->patience, 0);
}

void cw_hold_taken_back(struct cw_disk *disk)
{
	lockdep_assert_held(&disk->lock);
	if (disk->path || (disk->gates.set & (CW_GATE_NO_PATH | CW_GATE_FAILING)))
		cw_hold_run(disk);
}

void cw_hold_fenced(struct cw_disk *disk, u8 path)
{
	lockdep_assert_held(&disk->lock);
	cw_gates_fenced(&disk->gates, path);
	cw_hold_taken_back(disk);
}

void cw_hold_loss(struct cw_disk *disk, bool lost)
{
	cw_hold_gates(disk, lost ? 0 : CW_GATE_LOSS, lost ? CW_GATE_LOSS : 0);
}

void cw_hold_stable(struct cw_disk *disk, bool stable)
{
	cw_hold_gates(disk, stable ? 0 : CW_GATE_STABLE, stable ? CW_GATE_STABLE : 0);
}
