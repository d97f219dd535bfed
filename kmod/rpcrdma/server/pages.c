// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that are reused.
 *
 * A thread of nfsd fills up its pages before each call. Pages into which data of a WRITE was
 * fetched are freed when the call is done. When a READ is answered from the page cache, nfsd
 * releases its own pages and puts those of the cache in their place. In both cases new pages are
 * allocated for the next call. Where the kernel clears allocated memory (init_on_alloc), that costs
 * nearly as much as copying their content. So a connection keeps pages of WRITEs for later data, up
 * to a bound, and a call holds the pages that a READ replaces and returns them to their thread
 * after the answer has left.
 */
#include <linux/folio_batch.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

#include "connection.h"
#include "limits.h"
#include "pages.h"
#include "receive.h"
#include "transfers.h"

/* ---- pages that a connection keeps ---- */

u32 cwrs_spares_take(struct cwrs_connection *conn, struct page **page, u32 count)
{
	u32 taken = 0;

	spin_lock(&conn->spares_lock);
	for (; taken < count && conn->spares; conn->spares--) {
		page[taken] = list_first_entry(&conn->spare, struct page, lru);
		list_del(&page[taken++]->lru);
	}
	conn->spares_least = min(conn->spares_least, conn->spares);
	spin_unlock(&conn->spares_lock);
	if (taken)
		cwrs_memory_add(-(long)taken);
	return taken;
}

void cwrs_spares_give(struct cwrs_connection *conn, struct page **page, u32 count)
{
	u32 most = cwrs_memory_is_scarce() ? 0 : conn->spares_most;
	u32 i, others = 0;

	spin_lock(&conn->spares_lock);
	for (i = 0; i < count; i++) {
		if (conn->spares < most && page_count(page[i]) == 1) {
			list_add(&page[i]->lru, &conn->spare);
			conn->spares++;
		} else {
			page[others++] = page[i];
		}
	}
	spin_unlock(&conn->spares_lock);
	if (count > others)
		cwrs_memory_add(count - others);
	release_pages(page, others);
}

void cwrs_spares_trim(struct cwrs_connection *conn)
{
	struct page *page;
	u32 count;

	spin_lock(&conn->spares_lock);
	count = conn->spares_least;
	spin_unlock(&conn->spares_lock);
	while (count-- && cwrs_spares_take(conn, &page, 1))
		put_page(page);
	spin_lock(&conn->spares_lock);
	conn->spares_least = conn->spares;
	spin_unlock(&conn->spares_lock);
}

void cwrs_spares_free(struct cwrs_connection *conn)
{
	struct page *page;

	while (cwrs_spares_take(conn, &page, 1))
		put_page(page);
}

/* ---- pages that a call holds ---- */

/* The first page has the head of the answer and is never replaced. */
#define CWRS_HELD_FIRST 1

struct cwrs_held {
	u32 count;
	struct page *page[];
};

void cwrs_hold(struct cwrs_receive *rx, struct svc_rqst *rqstp)
{
	u32 most = cwrs_call_pages(rqstp) - CWRS_HELD_FIRST;
	u32 length = rx->header.writes ? rx->header.write[0].length : 0;
	/* data may begin and end inside a page */
	u32 count = min_t(u32, length / PAGE_SIZE + 2, most);
	struct cwrs_held *held;

	if (length <= CWRS_COPY_MAX)
		return;
	held = kmalloc(struct_size(held, page, count), GFP_KERNEL | __GFP_NOWARN);
	if (!held)
		return;
	for (held->count = 0; held->count < count; held->count++) {
		struct page *page = rqstp->rq_respages[CWRS_HELD_FIRST + held->count];

		if (!page)
			break;
		get_page(page);
		held->page[held->count] = page;
	}
	rx->held = held;
}

/*
 * A held page without another reference was replaced. A page that left with the answer, or that was
 * not needed, has another reference.
 */
void cwrs_hold_end(struct cwrs_receive *rx, struct svc_rqst *rqstp)
{
	struct cwrs_held *held = rx->held;
	u32 i;

	if (!held)
		return;
	folio_batch_release(&rqstp->rq_fbatch); /* nfsd collects replaced pages there */
	for (i = 0; i < held->count; i++) {
		struct page **slot = &rqstp->rq_respages[CWRS_HELD_FIRST + i];

		if (!*slot && page_count(held->page[i]) == 1)
			*slot = held->page[i];
		else
			put_page(held->page[i]);
	}
	kfree(held);
	rx->held = NULL;
}

void cwrs_hold_drop(struct cwrs_receive *rx)
{
	if (!rx->held)
		return;
	release_pages(rx->held->page, rx->held->count);
	kfree(rx->held);
	rx->held = NULL;
}

/* ---- pages of an answer ---- */

void cwrs_claim_pages(struct svc_rqst *rqstp)
{
	const struct xdr_buf *res = &rqstp->rq_res;
	struct page **end = res->pages + DIV_ROUND_UP(res->page_base + res->page_len, PAGE_SIZE);

	if (unlikely(res->page_len && end > rqstp->rq_next_page && end <= rqstp->rq_page_end))
		rqstp->rq_next_page = end;
}

void cwrs_release_pages(struct svc_rqst *rqstp, struct cwrs_transfers *transfers)
{
	struct page **page = rqstp->rq_respages + !transfers;

	for (; page < rqstp->rq_next_page; page++) {
		if (!*page)
			continue;
		if (transfers)
			transfers->page[transfers->pages++] = *page;
		else
			put_page(*page);
		*page = NULL;
	}
}
