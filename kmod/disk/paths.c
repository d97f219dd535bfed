// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
#ifdef __KERNEL__
#include <linux/ktime.h>

#include "paths.h"
#endif

/* ---- which paths may be used ---- */

static struct cw_path *cw_paths_usable(struct cw_disk *disk, unsigned int number)
{
	return rcu_dereference_protected(disk->usable[number], lockdep_is_held(&disk->lock));
}

void cw_paths_publish(struct cw_disk *disk)
{
	unsigned int i, count = 0;
	u8 numbers[CW_WIRE_PATHS];

	lockdep_assert_held(&disk->lock);
	if (!disk->path)
		return;
	for (i = 0; disk->spread == CW_PATH_POLICY_AUTO && i < CW_WIRE_PATHS; i++) {
		if (cw_paths_usable(disk, i))
			numbers[count++] = i;
	}
	if (!count)
		numbers[count++] = disk->path->number;
	for (i = 0; i < disk->nr_hctx; i++)
		/* Pairs with cw_paths_of(). */
		smp_store_release(&disk->hctx[i].number, numbers[i % count]);
}

/* Uses the path with the lowest number, or none. */
static void cw_paths_choose_first(struct cw_disk *disk)
{
	struct cw_path *path = NULL;
	unsigned int i;

	for (i = 0; !path && i < CW_WIRE_PATHS; i++)
		path = cw_paths_usable(disk, i);
	WRITE_ONCE(disk->path, path);
	cw_paths_publish(disk);
}

/* Only paths of one transport share the commands. In a move, those of two are usable together. */
static bool cw_paths_are_several(struct cw_disk *disk)
{
	const struct cw_path *p, *other;
	unsigned int i, j;

	for (i = 0; i < CW_WIRE_PATHS; i++) {
		p = cw_paths_usable(disk, i);
		for (j = 0; p && j < i; j++) {
			other = cw_paths_usable(disk, j);
			if (other && other->factory == p->factory)
				return true;
		}
	}
	return false;
}

/* Decides if hardware queues change their path, after a change of the paths or the policy. */
static void cw_paths_spread(struct cw_disk *disk)
{
	if (cw_paths_are_several(disk) && disk->policy != CW_PATH_POLICY_SINGLE) {
		WRITE_ONCE(disk->has_spread, true);
		smp_store_release(&disk->spread, disk->policy); /* pairs with cw_queue_rq() */
		if (disk->policy == CW_PATH_POLICY_AUTO)
			cw_paths_publish(disk);
	} else {
		WRITE_ONCE(disk->spread, 0);
	}
}

/* @p: NULL: the path with this number may not carry commands */
static void cw_paths_set(struct cw_disk *disk, u8 number, struct cw_path *p)
{
	unsigned long flags;

	spin_lock_irqsave(&disk->gates.lock, flags);
	rcu_assign_pointer(disk->usable[number], p);
	if (p && !disk->up_at[number])
		disk->up_at[number] = ktime_get_ns();
	spin_unlock_irqrestore(&disk->gates.lock, flags);
	cw_paths_spread(disk);
}

void cw_paths_set_policy(struct cw_disk *disk, u8 policy)
{
	lockdep_assert_held(&disk->lock);
	WRITE_ONCE(disk->policy, policy);
	cw_paths_spread(disk);
	cw_paths_publish(disk);
}

/*
 * The commands of the connection that had no answer are not counted any more. Nothing counts on the
 * path now: its links were drained after the operations of the block layer had ended.
 */
void cw_paths_reaped(struct cw_disk *disk, u8 number)
{
	unsigned long flags;
	unsigned int i;

	lockdep_assert_held(&disk->lock);
	spin_lock_irqsave(&disk->gates.lock, flags);
	disk->up_at[number] = 0;
	spin_unlock_irqrestore(&disk->gates.lock, flags);
	for (i = 0; i < disk->nr_hctx; i++) {
		disk->hctx[i].answered[number] = (struct cw_answered) {};
		atomic_set(&disk->hctx[i].sent[number], 0);
	}
}

bool cw_paths_up(struct cw_disk *disk, struct cw_path *p)
{
	lockdep_assert_held(&disk->lock);
	cw_paths_set(disk, p->number, p);
	if (disk->path)
		return false;
	cw_paths_choose_first(disk);
	return true;
}

bool cw_paths_stop(struct cw_disk *disk, struct cw_path *p)
{
	lockdep_assert_held(&disk->lock);
	cw_paths_set(disk, p->number, NULL);
	if (disk->path != p)
		return false;
	cw_paths_choose_first(disk);
	return !disk->path;
}

bool cw_paths_carries_io(const struct cw_disk *disk, const struct cw_path *p)
{
	if (READ_ONCE(disk->policy) == CW_PATH_POLICY_SINGLE)
		return READ_ONCE(disk->path) == p;
	return rcu_access_pointer(disk->usable[p->number]) == p;
}

bool cw_paths_kick(struct cw_disk *disk, struct request *rq, const char *why)
{
	const struct cw_request *req = blk_mq_rq_to_pdu(rq);
	struct cw_path *path = READ_ONCE(req->path);
	u64 start = READ_ONCE(req->start);
	unsigned long flags;

	/* It may have been taken back and given to a link again just before the timeout. */
	if (ktime_get_ns() - start + TICK_NSEC < jiffies_to_nsecs(rq->timeout))
		return false;
	/*
	 * reap() takes this lock before the next connection of the path begins, so that one is not
	 * ended by mistake.
	 */
	spin_lock_irqsave(&disk->gates.lock, flags);
	if (disk->up_at[path->number] && disk->up_at[path->number] <= start)
		cw_session_kick(disk->session, path, why);
	spin_unlock_irqrestore(&disk->gates.lock, flags);
	return true;
}

/* ---- the path of a message ---- */

static u32 cw_paths_now(void)
{
	return ktime_get_ns() >> CW_CHOICE_SHIFT;
}

/*
 * The time since @answered->at. An answer may come at any moment, and the clocks of CPUs differ
 * a little: a time that lies just ahead is now.
 */
static u32 cw_paths_age(const struct cw_answered *answered)
{
	u32 at = READ_ONCE(answered->at), now = cw_paths_now();

	return at - now <= CW_CHOICE_STALE ? 0 : now - at;
}

/* A command that is answered while it is counted may be seen answered first. */
static u32 cw_paths_load(const struct cw_hctx *h, unsigned int number)
{
	s32 load = (u32)atomic_read(&h->sent[number]) - READ_ONCE(h->answered[number].load);

	return load > 0 ? load : 0;
}

struct cw_path *cw_paths_find(struct cw_disk *disk, struct cw_hctx *h)
{
	struct cw_path *path;
	unsigned int i;

	for (i = 0; i < CW_WIRE_PATHS; i++) {
		path = rcu_dereference(disk->usable[i]);
		if (!path)
			continue;
		smp_store_release(&h->number, path->number); /* pairs with cw_paths_of() */
		return path;
	}
	return NULL;
}

void cw_paths_choose(struct cw_disk *disk, struct cw_hctx *h, unsigned int queue, u32 load)
{
	struct cw_choice known[CW_WIRE_PATHS] = {};
	unsigned int i, best, last = h->number;
	const struct cw_answered *answered;
	u32 together = CW_CHOICE_TOGETHER;
	struct cw_path *path;

	WRITE_ONCE(h->choose, false);
	for (i = 0; i < CW_WIRE_PATHS; i++) {
		path = rcu_dereference(disk->usable[i]);
		/* A link may be dead for a moment before its path is stopped. */
		if (!path || cw_link_is_dead(path->links[queue]))
			continue;
		if (path->factory->transport == CW_TRANSPORT_TCP)
			together = 0;
		answered = &h->answered[i];
		known[i] = (struct cw_choice) {
			.usable = true,
			.load = cw_paths_load(h, i),
			.mean = READ_ONCE(answered->mean),
			.age = cw_paths_age(answered),
			.rtt = READ_ONCE(path->rtt),
		};
	}
	if (READ_ONCE(disk->policy) == CW_PATH_POLICY_ROUND_ROBIN)
		best = cw_choice_next(known, CW_WIRE_PATHS, last);
	else
		best = cw_choice_best(known, CW_WIRE_PATHS, last, load, together);
	if (best < CW_WIRE_PATHS)
		/* Pairs with cw_paths_of(): see cw_paths_end_message(). */
		smp_store_release(&h->number, best);
}

void cw_paths_end_message(struct cw_disk *disk, struct cw_hctx *h, unsigned int queue)
{
	struct cw_path *path;
	struct cw_link *link;
	unsigned int i;

	for (i = 0; i < CW_WIRE_PATHS; i++) {
		path = rcu_dereference(disk->usable[i]);
		link = path ? path->links[queue] : NULL;
		if (link && READ_ONCE(link->open))
			cw_link_flush(link);
	}
	WRITE_ONCE(h->choose, true);
}

void cw_paths_sends(struct cw_hctx *h, u8 number, struct cw_request *req, u32 load)
{
	struct cw_answered *answered = &h->answered[number];
	u32 before = cw_paths_load(h, number);

	if (!before) {
		if (cw_paths_age(answered) > CW_CHOICE_STALE)
			WRITE_ONCE(answered->mean, 0);
		WRITE_ONCE(answered->at, cw_paths_now());
	}
	req->load = load;
	req->queued = before + load;
	atomic_add(load, &h->sent[number]);
}

void cw_paths_sends_not(struct cw_hctx *h, u8 number, u32 load)
{
	atomic_sub(load, &h->sent[number]);
}

void cw_paths_answered(struct cw_hctx *h, u8 number, const struct cw_request *req, bool done)
{
	struct cw_answered *answered = &h->answered[number];
	u64 now = ktime_get_ns();
	u32 mean;

	if (done) {
		mean = cw_choice_mean(answered->mean, now - req->start, req->queued);
		WRITE_ONCE(answered->mean, mean);
	}
	WRITE_ONCE(answered->at, now >> CW_CHOICE_SHIFT);
	WRITE_ONCE(answered->load, answered->load + req->load);
}
