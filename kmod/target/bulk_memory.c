// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bounds of the memory of bulk commands.
 *
 * The memory that a peer can make the server hold is bounded three times: transfers of a link by a
 * number (link.c), memory of all sessions from one address by a share (parameter bulk_share), and
 * memory of everybody by a budget (parameter bulk_mib). A command that meets a bound is parked. Its
 * link waits on a list of the share, or on the list of the budget, and whoever gives back a part
 * kicks all links on that list.
 *
 * The share is counted until the adapter has read the memory. A client that takes no answers holds
 * its own share with them and nothing else.
 *
 * Each export has a reserve besides: the memory of one transfer of the largest size, allocated with
 * the export. It serves a client that has no other transfer in flight, when the budget is used up
 * by others or the machine has no memory. (A client that has some makes progress when they end.) So
 * every client makes progress, and the worker of a link never waits in the allocator. A disk that
 * is attached on the server's own machine depends on that: memory becomes free only when its writes
 * are done.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "backend.h"

static unsigned int bulk_mib;
module_param(bulk_mib, uint, 0444);
MODULE_PARM_DESC(bulk_mib, "memory for transfers in flight, MiB (default: an eighth of all)");
static unsigned int bulk_share = 25;
module_param(bulk_share, uint, 0644);
MODULE_PARM_DESC(bulk_share, "percent of that for the sessions from one address");

static long budget; /* bytes */
static atomic_long_t budget_used = ATOMIC_LONG_INIT(0);

static int cwt_bulk_used_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%ld\n", atomic_long_read(&budget_used) >> 10);
}

static const struct kernel_param_ops cwt_bulk_used_ops = { .get = cwt_bulk_used_get };
module_param_cb(bulk_used_kib, &cwt_bulk_used_ops, NULL, 0444);
MODULE_PARM_DESC(bulk_used_kib, "to read: memory of transfers in flight, KiB");

struct cwt_share {
	struct list_head entry; /* of cwt_shares */
	unsigned int users; /* under cwt_shares_lock */
	struct sockaddr_storage peer;
	atomic_long_t used; /* bytes, also of those who still ask for a part of the budget */
	atomic_t transfers; /* in flight */
	struct list_head waiting; /* links, under cwt_waiting_lock */
};

/* Guards cwt_shares and the users of each. */
static DEFINE_MUTEX(cwt_shares_lock);
static LIST_HEAD(cwt_shares);

/* irqsave: transfers end in interrupts. Guards all lists of waiters. */
static DEFINE_SPINLOCK(cwt_waiting_lock);
static LIST_HEAD(cwt_waiting); /* for the budget or a reserve */

/* ---- waiting ---- */

static void cwt_wait_on(struct list_head *list, struct cwt_waiter *waiter)
{
	unsigned long flags;

	spin_lock_irqsave(&cwt_waiting_lock, flags);
	if (list_empty(&waiter->entry))
		list_add_tail(&waiter->entry, list);
	spin_unlock_irqrestore(&cwt_waiting_lock, flags);
	/*
	 * The lock pairs with the barrier in cwt_wake(): the caller tries once more, and either
	 * sees what was given back or is seen on the list. A kick too many does no harm.
	 */
}

static void cwt_wake(struct list_head *list)
{
	struct cwt_waiter *waiter;
	unsigned long flags;

	smp_mb(); /* pairs with the lock in cwt_wait_on() */
	if (likely(list_empty(list)))
		return;
	spin_lock_irqsave(&cwt_waiting_lock, flags);
	while ((waiter = list_first_entry_or_null(list, struct cwt_waiter, entry))) {
		list_del_init(&waiter->entry);
		cwt_link_kick(waiter->tl); /* not gone: cwt_bulk_forget() takes the lock */
	}
	spin_unlock_irqrestore(&cwt_waiting_lock, flags);
}

void cwt_bulk_forget(struct cwt_link *tl)
{
	unsigned long flags;

	spin_lock_irqsave(&cwt_waiting_lock, flags);
	list_del_init(&tl->for_share.entry);
	list_del_init(&tl->for_budget.entry);
	spin_unlock_irqrestore(&cwt_waiting_lock, flags);
}

/* ---- shares ---- */

/* Whether two peers have one address, by whatever port. */
static bool cwt_same_address(const struct sockaddr *a, const struct sockaddr *b)
{
	if (a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET6)
		return !memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
			       &((const struct sockaddr_in6 *)b)->sin6_addr,
			       sizeof(struct in6_addr));
	return ((const struct sockaddr_in *)a)->sin_addr.s_addr ==
	       ((const struct sockaddr_in *)b)->sin_addr.s_addr;
}

static struct cwt_share *cwt_share_find(const struct sockaddr *peer)
{
	struct cwt_share *share;

	lockdep_assert_held(&cwt_shares_lock);
	list_for_each_entry(share, &cwt_shares, entry)
		if (cwt_same_address((struct sockaddr *)&share->peer, peer))
			return share;
	return NULL;
}

static struct cwt_share *cwt_share_make(const struct sockaddr *peer)
{
	struct cwt_share *share = kzalloc(sizeof(*share), GFP_NOIO);

	lockdep_assert_held(&cwt_shares_lock);
	if (!share)
		return NULL;
	memcpy(&share->peer, peer, peer->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
								 sizeof(struct sockaddr_in));
	INIT_LIST_HEAD(&share->waiting);
	list_add(&share->entry, &cwt_shares);
	return share;
}

struct cwt_share *cwt_share_get(struct cw_link *link)
{
	const struct sockaddr *peer = cw_session_peer(link);
	struct cwt_share *share;

	mutex_lock(&cwt_shares_lock);
	share = cwt_share_find(peer) ?: cwt_share_make(peer);
	if (share)
		share->users++;
	mutex_unlock(&cwt_shares_lock);
	return share;
}

void cwt_share_put(struct cwt_share *share)
{
	if (!share)
		return;
	mutex_lock(&cwt_shares_lock);
	if (!--share->users) {
		WARN_ON_ONCE(atomic_long_read(&share->used));
		list_del(&share->entry);
		kfree(share);
	}
	mutex_unlock(&cwt_shares_lock);
}

static bool cwt_share_try(struct cwt_share *share, u32 len)
{
	long most = max_t(long, mult_frac(budget, min(READ_ONCE(bulk_share), 100U), 100),
			  CWT_IO_MAX);

	if (atomic_long_add_return(len, &share->used) <= most)
		return true;
	atomic_long_sub(len, &share->used);
	return false;
}

/* The share always has room for the largest command: a failure means that others hold a part. */
bool cwt_share_take(struct cwt_link *tl, u32 len)
{
	if (likely(cwt_share_try(tl->share, len)))
		return true;
	cwt_wait_on(&tl->share->waiting, &tl->for_share);
	return cwt_share_try(tl->share, len);
}

void cwt_share_give(struct cwt_share *share, u32 len)
{
	if (!len)
		return;
	atomic_long_sub(len, &share->used);
	cwt_wake(&share->waiting);
}

/* ---- the budget ---- */

static bool cwt_budget_try(u32 len)
{
	if (atomic_long_add_return(len, &budget_used) <= budget)
		return true;
	atomic_long_sub(len, &budget_used);
	return false;
}

bool cwt_budget_take(struct cwt_link *tl, u32 len)
{
	if (likely(cwt_budget_try(len)))
		return true;
	cwt_wait_on(&cwt_waiting, &tl->for_budget);
	return cwt_budget_try(len);
}

void cwt_budget_give(u32 len)
{
	atomic_long_sub(len, &budget_used);
	cwt_wake(&cwt_waiting);
}

/* ---- reserves ---- */

static u32 cwt_chunk_len(const struct cwt_transfer *t, u16 i)
{
	return PAGE_SIZE << compound_order(t->vecs[i].bv_page);
}

struct cwt_transfer *cwt_reserve_take(struct cwt_link *tl, u32 len)
{
	struct cwt_export *e = tl->export;
	struct cwt_transfer *t;

	/*
	 * Its end wakes @tl, which is on the list since the budget was refused. Not judged by the
	 * bytes in use: two links that ask at once would refuse each other, and nobody wakes them.
	 */
	if (atomic_read(&tl->share->transfers))
		return NULL;
	t = xchg(&e->reserve, NULL);
	if (!t) {
		cwt_wait_on(&cwt_waiting, &tl->for_budget);
		t = xchg(&e->reserve, NULL);
	}
	if (!t)
		return NULL;
	t->command = NULL;
	t->bulk = NULL;
	t->shared = 0;
	t->budgeted = 0;
	t->counted = false;
	for (t->nvecs = 0; len; t->nvecs++) {
		struct bio_vec *vec = &t->vecs[t->nvecs];

		vec->bv_len = min(len, cwt_chunk_len(t, t->nvecs));
		len -= vec->bv_len;
	}
	t->tl = tl;
	cwt_link_get(tl); /* for the transfer */
	return t;
}

void cwt_bulk_hold(struct cwt_transfer *t, u32 len, bool budgeted)
{
	t->shared = len;
	t->budgeted = budgeted ? len : 0;
	atomic_inc(&t->tl->share->transfers);
}

void cwt_bulk_give(struct cwt_transfer *t)
{
	struct cwt_export *e = t->tl->export;

	/* First: who waits for the reserve looks at the share, too. */
	if (t->shared)
		atomic_dec(&t->tl->share->transfers);
	cwt_share_give(t->tl->share, t->shared);
	if (t->spare) {
		/* Another command may have @t at once. */
		smp_store_release(&e->reserve, t);
		cwt_wake(&cwt_waiting);
	} else if (t->budgeted) {
		cwt_budget_give(t->budgeted);
	}
}

void cwt_bulk_init(void)
{
	u64 bytes = (u64)bulk_mib << 20;

	if (!bulk_mib)
		bytes = (u64)totalram_pages() << PAGE_SHIFT >> 3;
	/* The largest command must always fit. */
	budget = clamp_t(u64, bytes, 2 * CWT_IO_MAX, LONG_MAX);
	bulk_mib = budget >> 20;
}
