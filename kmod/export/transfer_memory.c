// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bounds of the memory of commands with a transfer.
 *
 * Three bounds limit the memory that a peer can make the server hold: a number of transfers for
 * each link (transfer.c), a share for all sessions from one address (parameter bulk_share), and a
 * budget for all clients (parameter bulk_mib). A command above a bound is parked. Its link waits on
 * the list of the share or of the budget, and each return of memory kicks all links on that list. A
 * command gets room for all of its memory or for none, in one step under cwt_memory_lock. So a
 * refusal means that transfers hold the memory, and their end wakes the link.
 *
 * Memory counts in the share until the adapter has read it. A client that takes no completions
 * blocks its own share, or the reserve of its export. If no transfer of a link has ended for twice
 * dead_ms, the core ends its session.
 *
 * Each export also has a reserve: the memory of one transfer of the largest size, allocated with
 * the export. It serves a client without another transfer in flight, if other clients have used up
 * the budget or the allocator fails. (A client with transfers in flight makes progress when they
 * end.) So every client makes progress, and the worker of a link does not wait in the allocator for
 * pages. A disk that is attached on the server itself depends on that: there, memory becomes free
 * only when writes to that disk complete. (The few hundred bytes that the RDMA core allocates for a
 * transfer may still be waited for.)
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

/*
 * Taken with interrupts disabled, because transfers end in interrupts. Guards the used parts of the
 * budget and of all shares, the reserves, and the lists of waiting links.
 */
static DEFINE_SPINLOCK(cwt_memory_lock);
static long budget; /* bytes; constant after cwt_memory_init() */
static long budget_used;
static LIST_HEAD(cwt_waiting); /* links that wait for the budget or a reserve */

static int cwt_memory_used_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%ld\n", READ_ONCE(budget_used) >> 10);
}

static const struct kernel_param_ops cwt_memory_used_ops = { .get = cwt_memory_used_get };
module_param_cb(bulk_used_kib, &cwt_memory_used_ops, NULL, 0444);
MODULE_PARM_DESC(bulk_used_kib, "to read: memory of transfers in flight, KiB");

struct cwt_share {
	struct list_head entry; /* in cwt_shares */
	unsigned int users; /* links that hold it; under cwt_shares_lock */
	struct sockaddr_storage peer;
	long used; /* bytes, under cwt_memory_lock */
	struct list_head waiting; /* links that wait for room in it; under cwt_memory_lock */
};

/* Guards cwt_shares and the users of each share. */
static DEFINE_MUTEX(cwt_shares_lock);
static LIST_HEAD(cwt_shares);

/* ---- waiting ---- */

static void cwt_wait_on(struct list_head *list, struct cwt_waiter *waiter)
{
	lockdep_assert_held(&cwt_memory_lock);
	if (list_empty(&waiter->entry))
		list_add_tail(&waiter->entry, list);
}

static void cwt_wake(struct list_head *list)
{
	struct cwt_waiter *waiter;

	lockdep_assert_held(&cwt_memory_lock);
	while ((waiter = list_first_entry_or_null(list, struct cwt_waiter, entry))) {
		list_del_init(&waiter->entry);
		/* @tl is alive: cwt_memory_forget() removes it under this lock */
		cwt_link_kick(waiter->tl);
	}
}

void cwt_memory_forget(struct cwt_link *tl)
{
	unsigned long flags;

	spin_lock_irqsave(&cwt_memory_lock, flags);
	list_del_init(&tl->for_share.entry);
	list_del_init(&tl->for_budget.entry);
	spin_unlock_irqrestore(&cwt_memory_lock, flags);
}

/* ---- shares ---- */

/* True if two peers have the same address; ports do not matter. */
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
		WARN_ON_ONCE(share->used);
		list_del(&share->entry);
		kfree(share);
	}
	mutex_unlock(&cwt_shares_lock);
}

/* The size of a share in bytes: at least the largest command. */
static long cwt_share_most(void)
{
	return max_t(long, mult_frac(budget, min(READ_ONCE(bulk_share), 100U), 100), CWT_IO_MAX);
}

/* ---- reserves ---- */

static u32 cwt_chunk_len(const struct cwt_transfer *t, u16 i)
{
	return PAGE_SIZE << compound_order(t->vecs[i].bv_page);
}

/* Takes the reserve of the export. NULL: it is in use, or the client has other transfers. */
static struct cwt_transfer *cwt_reserve_take(struct cwt_link *tl, u32 len)
{
	struct cwt_transfer *t = tl->share->used ? NULL : tl->export->reserve;

	lockdep_assert_held(&cwt_memory_lock);
	if (!t)
		return NULL;
	tl->export->reserve = NULL;
	tl->share->used += len;
	return t;
}

/* Turns the reserve into a transfer of @len bytes of @tl, counted in the share of @tl. */
static void cwt_reserve_prepare(struct cwt_transfer *t, struct cwt_link *tl, u32 len)
{
	t->command = NULL;
	t->rdma = NULL;
	t->shared = len;
	t->budgeted = 0;
	t->counted = false;
	for (t->nvecs = 0; len; t->nvecs++) {
		struct bio_vec *vec = &t->vecs[t->nvecs];

		vec->bv_len = min(len, cwt_chunk_len(t, t->nvecs));
		len -= vec->bv_len;
	}
	t->tl = tl;
	cwt_link_get(tl); /* for the transfer */
}

/* ---- all bounds in one step ---- */

enum cwt_room cwt_memory_take(struct cwt_link *tl, u32 len, struct cwt_transfer **reserve)
{
	struct cwt_share *share = tl->share;
	long most = cwt_share_most();
	enum cwt_room room;
	unsigned long flags;

	*reserve = NULL;
	spin_lock_irqsave(&cwt_memory_lock, flags);
	if (share->used + len > most) {
		cwt_wait_on(&share->waiting, &tl->for_share);
		room = CWT_ROOM_NOT_IN_SHARE;
	} else if (budget_used + len <= budget) {
		share->used += len;
		budget_used += len;
		room = CWT_ROOM_IN_BUDGET;
	} else {
		*reserve = cwt_reserve_take(tl, len);
		room = *reserve ? CWT_ROOM_IN_RESERVE : CWT_ROOM_NONE;
		if (!*reserve)
			cwt_wait_on(&cwt_waiting, &tl->for_budget);
	}
	spin_unlock_irqrestore(&cwt_memory_lock, flags);
	if (*reserve)
		cwt_reserve_prepare(*reserve, tl, len);
	return room;
}

struct cwt_transfer *cwt_memory_swap(struct cwt_link *tl, u32 len)
{
	struct cwt_transfer *t;
	unsigned long flags;

	spin_lock_irqsave(&cwt_memory_lock, flags);
	tl->share->used -= len;
	budget_used -= len;
	t = cwt_reserve_take(tl, len);
	cwt_wake(&tl->share->waiting);
	cwt_wake(&cwt_waiting);
	spin_unlock_irqrestore(&cwt_memory_lock, flags);
	if (t)
		cwt_reserve_prepare(t, tl, len);
	return t;
}

void cwt_memory_give(struct cwt_transfer *t)
{
	struct cwt_share *share = t->tl->share;
	unsigned long flags;

	if (!t->shared)
		return;
	spin_lock_irqsave(&cwt_memory_lock, flags);
	share->used -= t->shared;
	budget_used -= t->budgeted;
	if (t->spare)
		t->tl->export->reserve = t;
	cwt_wake(&share->waiting);
	cwt_wake(&cwt_waiting);
	spin_unlock_irqrestore(&cwt_memory_lock, flags);
}

void cwt_memory_init(void)
{
	u64 bytes = (u64)bulk_mib << 20;

	if (!bulk_mib)
		bytes = (u64)totalram_pages() << PAGE_SHIFT >> 3;
	/* The budget always has room for the largest command. */
	budget = clamp_t(u64, bytes, 2 * CWT_IO_MAX, LONG_MAX);
	bulk_mib = budget >> 20;
}
