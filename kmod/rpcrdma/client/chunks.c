// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory registered for the server, by fast registration (core/verbs/registration.h).
 *
 * One region covers the data of one I/O if the adapter's page lists are long enough. A work request
 * before the call that names it registers it. Access ends in one of three ways: the server's reply
 * invalidates the rkey (one per reply); the client invalidates it and waits, with one completion
 * for all regions of a call; or the queue pair, the only one in its protection domain, is drained.
 * Only then is the memory unmapped, and only then does the RPC complete.
 *
 * The list of regions of a call has one user at a time, except if an RPC that ends without a reply
 * (a signal) meets the end of the connection. regions_lock is for that case.
 */
#include <linux/mm.h>

#include "../../core/verbs/region.h"
#include "chunks.h"
#include "regions.h"

#define GROW_AGAIN (HZ / 4) /* if memory, or regions of the device, ran out */

/* ---- registering ---- */

static struct cwrc_region *cwrc_region_take(struct cwrc_connection *conn, struct cwrc_call *call)
{
	struct cwrc_transport *t = conn->transport;
	struct cwrc_region *region;

	spin_lock(&t->regions_lock);
	region = list_first_entry_or_null(&conn->free_regions, struct cwrc_region, entry);
	if (region)
		list_move_tail(&region->entry, &call->regions);
	spin_unlock(&t->regions_lock);
	return region;
}

/* The pieces that are not registered yet. */
struct cwrc_rest {
	struct cwrc_piece *piece;
	u32 count;
};

static u32 cwrc_pages_of(const struct cwrc_rest *rest)
{
	u32 i, pages = 0;

	for (i = 0; i < rest->count; i++)
		pages += DIV_ROUND_UP(offset_in_page(rest->piece[i].offset) + rest->piece[i].len,
				      PAGE_SIZE);
	return pages;
}

/*
 * Puts pages of @rest into the region's list, as many as one registration can have: only the first
 * may begin inside a page, and only the last may end inside one. Returns the bytes.
 */
static u32 cwrc_gather(struct cwrc_region *region, struct cwrc_rest *rest)
{
	u32 depth = max_t(u32, 1, region->connection->depth / (PAGE_SIZE / CW_REGION_PAGE));
	u32 most = min(depth, cwrc_pages_of(rest));
	u32 done = 0, end = 0, n = 0;

	sg_init_table(region->sgl, most);
	while (rest->count && n < most) {
		struct cwrc_piece *piece = rest->piece;
		u32 offset = offset_in_page(piece->offset);
		u32 part = min_t(u32, piece->len, PAGE_SIZE - offset);

		if (n && (offset || end != PAGE_SIZE))
			break;
		sg_set_page(&region->sgl[n++], piece->pages[piece->offset >> PAGE_SHIFT], part,
			    offset);
		end = offset + part;
		done += part;
		piece->offset += part;
		piece->len -= part;
		if (!piece->len) {
			rest->piece++;
			rest->count--;
		}
	}
	region->entries = n;
	return done;
}

/* Maps and registers as much as one region holds. Returns the bytes, or -errno. */
static int cwrc_region_fill(struct cwrc_region *region, struct cwrc_rest *rest,
			    enum dma_data_direction dir, bool hold)
{
	struct cwrc_connection *conn = region->connection;
	u32 done = cwrc_gather(region, rest);
	u32 i, n = region->entries;
	int mapped;

	region->entries = 0;
	mapped = ib_dma_map_sg(conn->ib, region->sgl, n, dir);
	if (!mapped)
		return -ENOBUFS;
	region->dir = dir;
	region->entries = n;
	region->holds = hold;
	for (i = 0; hold && i < n; i++)
		get_page(sg_page(&region->sgl[i]));
	if (cw_region_register(&region->base, region->sgl, mapped, dir))
		return -EIO;
	region->invalidated = false;
	return done;
}

int cwrc_chunks_register(struct cwrc_connection *conn, struct cwrc_call *call,
			 struct cwrc_piece *piece, u32 count, enum dma_data_direction dir,
			 bool hold, struct cwr_segment *segment)
{
	struct cwrc_transport *t = conn->transport;
	struct cwrc_rest rest = { .piece = piece, .count = count };
	int segments = 0;

	if (!count)
		return 0;
	while (rest.count) {
		struct cwrc_region *region;
		int done;

		if (segments == CWRC_REGIONS)
			return -EMSGSIZE;
		region = cwrc_region_take(conn, call);
		if (!region) {
			xprt_wait_for_buffer_space(&t->xprt);
			/*
			 * A region that is freed also wakes the task. If none can be made, the work
			 * retries at intervals.
			 */
			queue_delayed_work(cwrc_workqueue, &conn->grow_regions,
					   READ_ONCE(conn->short_of_regions) ? GROW_AGAIN : 0);
			return -EAGAIN;
		}
		done = cwrc_region_fill(region, &rest, dir, hold);
		if (done < 0)
			return done;
		segment[segments++] = (struct cwr_segment){
			.handle = region->base.mr->rkey,
			.length = done,
			.offset = region->base.mr->iova,
		};
	}
	cwr_count(&t->info, CW_NFS_REGISTRATIONS, segments);
	return segments;
}

struct ib_send_wr *cwrc_chunks_chain(struct cwrc_call *call, struct ib_send_wr *send, u16 *wrs)
{
	struct ib_send_wr *first = send;
	struct cwrc_region *region;

	*wrs = 1;
	list_for_each_entry(region, &call->regions, entry) {
		region->base.reg.wr.next = first;
		first = &region->base.reg.wr;
		(*wrs)++;
	}
	return first;
}

/* ---- invalidating and freeing ---- */

static void cwrc_chunks_unmap(struct cwrc_call *call)
{
	struct cwrc_transport *t = call->transport;
	struct cwrc_region *region, *next;

	spin_lock(&t->regions_lock);
	list_for_each_entry_safe(region, next, &call->regions, entry) {
		struct cwrc_connection *conn = region->connection;

		cwrc_region_unmap(region);
		list_move(&region->entry, &conn->free_regions);
	}
	spin_unlock(&t->regions_lock);
}

void cwrc_chunks_release(struct cwrc_call *call)
{
	cwrc_chunks_unmap(call);
	xprt_write_space(&call->transport->xprt);
}

/* Does not wake tasks: the call itself waits until there are more regions than it got. */
void cwrc_chunks_cancel(struct cwrc_call *call)
{
	if (!list_empty(&call->regions))
		cwrc_chunks_unmap(call);
}

bool cwrc_chunks_invalidated(struct cwrc_call *call, u32 rkey)
{
	struct cwrc_region *region;

	list_for_each_entry(region, &call->regions, entry) {
		if (region->base.mr->rkey == rkey) {
			region->invalidated = true;
			cwr_count(&call->transport->info, CW_NFS_REMOTE_INVALIDATIONS, 1);
			return true;
		}
	}
	return false;
}

/* Prepares one signalled post that invalidates the remaining regions. False: none remains. */
static bool cwrc_fence_prepare(struct cwrc_call *call,
			       void (*fenced)(struct cw_post *post, int err))
{
	struct cw_post *post = &call->fence;
	struct cwrc_region *region;

	post->first = NULL;
	post->wrs = 0;
	list_for_each_entry(region, &call->regions, entry) {
		if (region->invalidated)
			continue;
		if (!post->first)
			post->last = &region->base.inv;
		post->first = cw_region_invalidate(&region->base, post->first);
		post->wrs++;
	}
	if (!post->wrs)
		return false;
	cwr_count(&call->transport->info, CW_NFS_INVALIDATIONS, post->wrs);
	post->signal = true;
	post->complete = fenced;
	return true;
}

bool cwrc_chunks_fence(struct cwrc_call *call, void (*fenced)(struct cw_post *post, int err))
{
	if (list_empty(&call->regions))
		return true;
	if (cwrc_fence_prepare(call, fenced)) {
		cw_endpoint_post(&call->connection->ep, &call->fence);
		return false;
	}
	cwrc_chunks_release(call);
	return true;
}

static void cwrc_fence_wake(struct cw_post *post, int err)
{
	complete(&container_of(post, struct cwrc_call, fence)->fenced);
}

/*
 * regions_lock keeps the connection from being freed: its end first takes the regions off the call,
 * under this lock. The post may complete immediately; its completion takes no lock.
 */
void cwrc_chunks_wait(struct cwrc_call *call)
{
	struct cwrc_transport *t = call->transport;
	bool posted = false;

	if (list_empty_careful(&call->regions))
		return;
	reinit_completion(&call->fenced);
	spin_lock(&t->regions_lock);
	if (!list_empty(&call->regions) && cwrc_fence_prepare(call, cwrc_fence_wake)) {
		cw_endpoint_post(&call->connection->ep, &call->fence);
		posted = true;
	}
	spin_unlock(&t->regions_lock);
	if (posted)
		wait_for_completion(&call->fenced);
	cwrc_chunks_release(call);
}
