// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory registered for the server, by fast registration.
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
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/sched/mm.h>

#include "../../core/verbs/region.h"
#include "../../core/verbs/rkey.h"
#include "client.h"

#define REGIONS_AT_ONCE 8
#define GROW_AGAIN (HZ / 4) /* if memory, or regions of the device, ran out */

static unsigned int region_pages = CWRC_DEPTH_MAX;
module_param(region_pages, uint, 0644);
MODULE_PARM_DESC(region_pages,
		 "pages that one memory region lends to a server, 16 to 258, as far as the adapter can");

static void cwrc_region_failed(struct ib_cq *cq, struct ib_wc *wc)
{
	if (wc->status != IB_WC_SUCCESS)
		cw_endpoint_kill(cq->cq_context, -EIO, "a registration failed: %s",
				 ib_wc_status_msg(wc->status));
}

/* ---- regions of a connection ---- */

/* Unmaps a region whose memory no adapter uses any more. */
static void cwrc_region_unmap(struct cwrc_region *region)
{
	u32 i;

	if (!region->entries)
		return;
	ib_dma_unmap_sg(region->connection->ib, region->sgl, region->entries, region->dir);
	for (i = 0; region->holds && i < region->entries; i++)
		put_page(sg_page(&region->sgl[i]));
	region->entries = 0;
	region->holds = false;
}

static void cwrc_region_free(struct cwrc_region *region)
{
	if (region->mr)
		ib_dereg_mr(region->mr);
	kvfree(region->sgl);
	kfree(region);
}

static struct cwrc_region *cwrc_region_alloc(struct cwrc_connection *conn)
{
	struct cwrc_region *region = kzalloc(sizeof(*region), GFP_KERNEL);
	struct ib_mr *mr;

	if (!region)
		return NULL;
	region->connection = conn;
	region->reg_cqe.done = cwrc_region_failed;
	region->sgl = kvmalloc_array(conn->depth, sizeof(*region->sgl), GFP_KERNEL);
	if (!region->sgl)
		goto failed;
	mr = ib_alloc_mr(conn->ep.domain->pd, IB_MR_TYPE_MEM_REG, conn->depth);
	if (IS_ERR(mr))
		goto failed;
	region->mr = mr;
	cwr_count(&conn->transport->info, CWR_REGIONS_ALLOCATED, 1);
	return region;

failed:
	cwrc_region_free(region);
	return NULL;
}

static bool cwrc_regions_add(struct cwrc_connection *conn)
{
	struct cwrc_transport *t = conn->transport;
	bool grown = false;
	int i;

	for (i = 0; i < REGIONS_AT_ONCE; i++) {
		struct cwrc_region *region = cwrc_region_alloc(conn);

		if (!region)
			break;
		spin_lock(&t->regions_lock);
		list_add(&region->entry, &conn->free_regions);
		list_add(&region->all, &conn->regions);
		spin_unlock(&t->regions_lock);
		grown = true;
	}
	return grown;
}

void cwrc_regions_grow(struct work_struct *work)
{
	struct cwrc_connection *conn =
		container_of(work, struct cwrc_connection, grow_regions.work);
	unsigned int noio = memalloc_noio_save();

	WRITE_ONCE(conn->short_of_regions, !cwrc_regions_add(conn));
	memalloc_noio_restore(noio);
	xprt_write_space(&conn->transport->xprt);
}

int cwrc_regions_init(struct cwrc_connection *conn)
{
	conn->depth = min_t(u32, clamp(READ_ONCE(region_pages), (unsigned int)CWRC_DEPTH_MIN,
				       (unsigned int)CWRC_DEPTH_MAX),
			    conn->ib->attrs.max_fast_reg_page_list_len);
	if (conn->depth < CWRC_DEPTH_MIN)
		return -EOPNOTSUPP;
	return cwrc_regions_add(conn) ? 0 : -ENOMEM;
}

void cwrc_regions_free(struct cwrc_connection *conn)
{
	struct cwrc_transport *t = conn->transport;
	struct cwrc_region *region, *next;
	LIST_HEAD(all);

	cancel_delayed_work_sync(&conn->grow_regions);
	spin_lock(&t->regions_lock);
	list_splice_init(&conn->regions, &all);
	list_for_each_entry(region, &all, all) {
		cwrc_region_unmap(region);
		/* from free_regions, or from the regions of its call */
		list_del_init(&region->entry);
	}
	spin_unlock(&t->regions_lock);
	list_for_each_entry_safe(region, next, &all, all)
		cwrc_region_free(region);
}

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
	if (ib_map_mr_sg(region->mr, region->sgl, mapped, NULL, CW_REGION_PAGE) != mapped)
		return -EIO;
	/* A server that knows the last rkey must not be able to guess this one. */
	ib_update_fast_reg_key(region->mr, cw_next_key(region->mr->rkey, get_random_u32()));
	region->invalidated = false;
	region->reg.wr.wr_cqe = &region->reg_cqe;
	region->reg.wr.opcode = IB_WR_REG_MR;
	region->reg.wr.send_flags = 0;
	region->reg.wr.num_sge = 0;
	region->reg.mr = region->mr;
	region->reg.key = region->mr->rkey;
	region->reg.access = dir == DMA_TO_DEVICE ? IB_ACCESS_REMOTE_READ :
						    IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE;
	return done;
}

int cwrc_lend(struct cwrc_connection *conn, struct cwrc_call *call, struct cwrc_piece *piece,
	      u32 count, enum dma_data_direction dir, bool hold, struct cwr_segment *segment)
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
			.handle = region->mr->rkey,
			.length = done,
			.offset = region->mr->iova,
		};
	}
	cwr_count(&t->info, CW_NFS_REGISTRATIONS, segments);
	return segments;
}

struct ib_send_wr *cwrc_lent_chain(struct cwrc_call *call, struct ib_send_wr *send, u16 *wrs)
{
	struct ib_send_wr *first = send;
	struct cwrc_region *region;

	*wrs = 1;
	list_for_each_entry(region, &call->regions, entry) {
		region->reg.wr.next = first;
		first = &region->reg.wr;
		(*wrs)++;
	}
	return first;
}

/* ---- invalidating and freeing ---- */

static void cwrc_regions_put(struct cwrc_call *call)
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

void cwrc_lent_release(struct cwrc_call *call)
{
	cwrc_regions_put(call);
	xprt_write_space(&call->transport->xprt);
}

/* Does not wake tasks: the call itself waits until there are more regions than it got. */
void cwrc_lent_cancel(struct cwrc_call *call)
{
	if (!list_empty(&call->regions))
		cwrc_regions_put(call);
}

bool cwrc_lent_invalidated(struct cwrc_call *call, u32 rkey)
{
	struct cwrc_region *region;

	list_for_each_entry(region, &call->regions, entry) {
		if (region->mr->rkey == rkey) {
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
		struct ib_send_wr *inv = &region->inv;

		if (region->invalidated)
			continue;
		inv->next = post->first;
		inv->wr_cqe = &region->reg_cqe;
		inv->opcode = IB_WR_LOCAL_INV;
		inv->send_flags = 0;
		inv->num_sge = 0;
		inv->ex.invalidate_rkey = region->mr->rkey;
		if (!post->first)
			post->last = inv;
		post->first = inv;
		post->wrs++;
	}
	if (!post->wrs)
		return false;
	cwr_count(&call->transport->info, CW_NFS_INVALIDATIONS, post->wrs);
	post->signal = true;
	post->complete = fenced;
	return true;
}

bool cwrc_lent_fence(struct cwrc_call *call, void (*fenced)(struct cw_post *post, int err))
{
	if (list_empty(&call->regions))
		return true;
	if (cwrc_fence_prepare(call, fenced)) {
		cw_endpoint_post(&call->connection->ep, &call->fence);
		return false;
	}
	cwrc_lent_release(call);
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
void cwrc_lent_wait(struct cwrc_call *call)
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
	cwrc_lent_release(call);
}
