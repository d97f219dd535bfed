// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of an RPC.
 *
 * A struct cwrc_call is taken from the free ones of its transport, or allocated. A transport has as
 * many as RPCs were ever in flight at once, which SunRPC's slots bound, and a few more that wait
 * until the adapter is done with their message. The memory stays mapped for the adapter while the
 * connection exists, also while the call is free.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "call.h"
#include "connection.h"

#define MEMORY_MIN 4096U /* enough for most calls and the heads of their replies */
#define MEMORY_KEPT 16384U /* a free call keeps no more than this */

/* ---- mapping ---- */

static void cwrc_call_unmap_copy(struct cwrc_call *call)
{
	lockdep_assert_held(&call->transport->calls_lock);
	if (call->copy_dma)
		ib_dma_unmap_single(call->mapped_for, call->copy_dma, call->copy_size,
				    DMA_TO_DEVICE);
	call->copy_dma = 0;
}

void cwrc_call_unmap(struct cwrc_call *call)
{
	struct ib_device *ib = call->mapped_for;

	lockdep_assert_held(&call->transport->calls_lock);
	if (!ib)
		return;
	if (call->memory_dma)
		ib_dma_unmap_single(ib, call->memory_dma, call->size, DMA_TO_DEVICE);
	call->memory_dma = 0;
	cwrc_call_unmap_copy(call);
	call->mapped_for = NULL;
}

static int cwrc_call_map_one(struct cwrc_call *call, struct ib_device *ib, void *memory,
			     size_t size, u64 *dma)
{
	struct cwrc_transport *t = call->transport;
	u64 mapped = ib_dma_map_single(ib, memory, size, DMA_TO_DEVICE);

	if (ib_dma_mapping_error(ib, mapped))
		return -ENOBUFS;
	spin_lock(&t->calls_lock);
	call->mapped_for = ib;
	*dma = mapped;
	spin_unlock(&t->calls_lock);
	return 0;
}

int cwrc_call_map(struct cwrc_call *call, struct cwrc_connection *conn)
{
	struct cwrc_transport *t = call->transport;

	if (likely(call->memory_dma && call->mapped_for == conn->ib))
		return 0;
	/* The memory is mapped for another device. No send from it is in flight. */
	spin_lock(&t->calls_lock);
	cwrc_call_unmap(call);
	spin_unlock(&t->calls_lock);
	return cwrc_call_map_one(call, conn->ib, call->memory, call->size, &call->memory_dma);
}

int cwrc_call_copy_area(struct cwrc_call *call, struct cwrc_connection *conn, size_t size)
{
	struct cwrc_transport *t = call->transport;

	if (unlikely(call->copy_size < size)) {
		void *copy = kmalloc(max_t(size_t, size, conn->inline_send),
				     rpc_task_gfp_mask() | __GFP_NOWARN);
		void *old = call->copy;

		if (!copy)
			return -ENOBUFS;
		/*
		 * call->memory stays mapped, because the first fragment of the message names its
		 * address.
		 */
		spin_lock(&t->calls_lock);
		cwrc_call_unmap_copy(call);
		call->copy = copy;
		call->copy_size = max_t(size_t, size, conn->inline_send);
		spin_unlock(&t->calls_lock);
		kfree(old);
	}
	if (likely(call->copy_dma))
		return 0;
	return cwrc_call_map_one(call, conn->ib, call->copy, call->copy_size, &call->copy_dma);
}

/* ---- own pages ---- */

void cwrc_call_free_own_pages(struct cwrc_call *call)
{
	while (call->own_pages)
		__free_page(call->own[--call->own_pages]);
	kvfree(call->own);
	call->own = NULL;
}

int cwrc_call_own_pages(struct cwrc_call *call, u32 count, gfp_t gfp)
{
	call->own = kvmalloc_array(count, sizeof(*call->own), gfp | __GFP_NOWARN);
	if (!call->own)
		return -ENOBUFS;
	while (call->own_pages < count) {
		/*
		 * Zeroed: a server that reports more bytes than it wrote must not expose old
		 * content of the pages.
		 */
		struct page *page = alloc_page(gfp | __GFP_NOWARN | __GFP_ZERO);

		if (!page) {
			cwrc_call_free_own_pages(call);
			return -ENOBUFS;
		}
		call->own[call->own_pages++] = page;
	}
	return 0;
}

/* ---- allocation and release ---- */

static void cwrc_call_setup(struct cwrc_call *call, struct cwrc_transport *t)
{
	call->transport = t;
	refcount_set(&call->users, 1);
	INIT_LIST_HEAD(&call->regions);
	INIT_LIST_HEAD(&call->free);
	init_completion(&call->fenced);
}

static void cwrc_call_list(struct cwrc_call *call)
{
	struct cwrc_transport *t = call->transport;

	spin_lock(&t->calls_lock);
	list_add_tail(&call->entry, &t->calls);
	spin_unlock(&t->calls_lock);
}

void cwrc_call_exit(struct cwrc_call *call)
{
	struct cwrc_transport *t = call->transport;

	spin_lock(&t->calls_lock);
	cwrc_call_unmap(call);
	list_del(&call->entry);
	spin_unlock(&t->calls_lock);
	cwrc_call_free_own_pages(call);
	kfree(call->copy);
	kfree(call->memory);
}

static int cwrc_call_set_memory(struct cwrc_call *call, size_t size, gfp_t gfp)
{
	struct cwrc_transport *t = call->transport;
	void *memory = kmalloc(size, gfp);

	if (!memory)
		return -ENOMEM;
	*(struct cwrc_call **)memory = call;
	spin_lock(&t->calls_lock);
	cwrc_call_unmap(call);
	swap(call->memory, memory);
	call->size = size;
	spin_unlock(&t->calls_lock);
	kfree(memory);
	return 0;
}

int cwrc_call_init(struct cwrc_call *call, struct cwrc_transport *t, size_t size, gfp_t gfp,
		   void (*ended)(struct cwrc_call *call))
{
	cwrc_call_setup(call, t);
	call->ended = ended;
	cwrc_call_list(call);
	if (!cwrc_call_set_memory(call, CWRC_ROOM + size, gfp))
		return 0;
	cwrc_call_exit(call);
	return -ENOMEM;
}

static struct cwrc_call *cwrc_call_take(struct cwrc_transport *t, gfp_t gfp)
{
	struct cwrc_call *call;

	spin_lock(&t->calls_lock);
	call = list_first_entry_or_null(&t->free_calls, struct cwrc_call, free);
	if (call)
		list_del_init(&call->free);
	spin_unlock(&t->calls_lock);
	if (call) {
		refcount_set(&call->users, 1);
		return call;
	}
	call = kzalloc(sizeof(*call), gfp);
	if (!call)
		return NULL;
	cwrc_call_setup(call, t);
	cwrc_call_list(call);
	return call;
}

void cwrc_call_put(struct cwrc_call *call)
{
	struct cwrc_transport *t = call->transport;

	if (!refcount_dec_and_test(&call->users))
		return;
	if (call->ended) {
		call->ended(call);
		return;
	}
	if (unlikely(call->size > MEMORY_KEPT)) {
		spin_lock(&t->calls_lock);
		cwrc_call_unmap(call);
		spin_unlock(&t->calls_lock);
		kfree(call->memory);
		call->memory = NULL;
		call->size = 0;
	}
	spin_lock(&t->calls_lock);
	list_add(&call->free, &t->free_calls);
	spin_unlock(&t->calls_lock);
}

struct cwrc_call *cwrc_call_get(struct cwrc_transport *t, size_t size, gfp_t gfp)
{
	struct cwrc_call *call = cwrc_call_take(t, gfp);

	if (!call)
		return NULL;
	if (call->size < size && cwrc_call_set_memory(call, max_t(size_t, size, MEMORY_MIN), gfp)) {
		cwrc_call_put(call);
		return NULL;
	}
	if (unlikely(size > MEMORY_KEPT))
		cwr_count(&t->info, CWR_HARDWAY_BYTES, size);
	atomic_set(&call->state, CWRC_NEW);
	return call;
}

void cwrc_calls_free(struct cwrc_transport *t)
{
	struct cwrc_call *call, *next;

	list_for_each_entry_safe(call, next, &t->free_calls, free) {
		cwrc_call_exit(call);
		kfree(call);
	}
	INIT_LIST_HEAD(&t->free_calls);
}

/* ---- the end of an RPC ---- */

void cwrc_call_settle(struct cwrc_call *call)
{
	struct cwrc_transport *t = call->transport;

	lockdep_assert_held(&t->calls_lock);
	t->unanswered -= call->unanswered;
	call->unanswered = false;
}

bool cwrc_call_given_up(struct cwrc_call *call)
{
	if (likely(atomic_cmpxchg(&call->state, CWRC_SENT, CWRC_NEW) != CWRC_SENT))
		return false;
	atomic_dec(&call->transport->info.calls);
	return true;
}
