// SPDX-License-Identifier: GPL-2.0-only
/*
 * RDMA Reads of data that a call left in the client's memory: the data of a WRITE that belongs at a
 * position in the message, the whole call (position 0), or both.
 *
 * The message is put together front to back, without gaps, in pages taken from the thread that
 * handles the receive: data of chunks, their padding, and the bytes between and behind them. The
 * first chunk that is not the call itself begins a page. Bytes before it stay in the receive, as
 * head of rq_arg. Bytes behind it go into the pages too, never into the tail of rq_arg: if the
 * count of a WRITE is larger than its chunk, the WRITE then reads bytes of its own message, where
 * nfsd would otherwise read past the pages.
 *
 * The thread does not wait for the data. The pages that hold or await data are bounded for each
 * connection and for all together. Calls above a bound are parked, but one call of each connection
 * may always go on.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include <causeway_svc_pages.h>

#include "../wire/header.h"
#include "connection.h"
#include "limits.h"
#include "pages.h"
#include "receive.h"
#include "trace.h"
#include "transfers.h"

/* The position in the pages, of the next byte of the message. */
struct cwrs_stream {
	struct cwrs_receive *rx;
	u32 at;
};

/* Bytes of the message that go into the pages. The parser has bounded every summand. */
static u64 cwrs_pull_length(const struct cwrs_receive *rx)
{
	const struct cwr_header *h = &rx->header;
	u64 length;
	u16 i;

	length = h->has_call ? h->call.length : rx->length - h->len - h->read[0].at;
	for (i = 0; i < h->reads; i++)
		length += cwr_padded(h->read[i].length);
	return length;
}

/* ---- bounds ---- */

static bool cwrs_pull_fits(const struct cwrs_receive *rx)
{
	const struct cwrs_connection *conn = rx->conn;

	lockdep_assert_held(&conn->rx_lock);
	if (!conn->pulling)
		return true;
	return conn->pulling + rx->pull.pages <= conn->pages_most && !cwrs_memory_is_scarce();
}

static void cwrs_pull_take(struct cwrs_receive *rx)
{
	rx->conn->pulling += rx->pull.pages;
	rx->pull.reserved = true;
	cwrs_memory_add(rx->pull.pages);
}

/* Reserves the pages of @rx, unless they exceed the bounds or earlier calls are parked. */
static bool cwrs_pull_reserve(struct cwrs_receive *rx)
{
	struct cwrs_connection *conn = rx->conn;

	spin_lock_bh(&conn->rx_lock);
	if (list_empty(&conn->parked) && cwrs_pull_fits(rx))
		cwrs_pull_take(rx);
	spin_unlock_bh(&conn->rx_lock);
	return rx->pull.reserved;
}

static void cwrs_pull_release(struct cwrs_receive *rx)
{
	struct cwrs_connection *conn = rx->conn;

	rx->pull.reserved = false;
	cwrs_memory_add(-(long)rx->pull.pages);
	spin_lock_bh(&conn->rx_lock);
	conn->pulling -= rx->pull.pages;
	conn->starved = false;
	if (!list_empty(&conn->parked))
		cwrs_has_data(conn);
	spin_unlock_bh(&conn->rx_lock);
	svc_xprt_enqueue(&conn->xprt);
}

void cwrs_pull_park(struct cwrs_receive *rx, bool starved)
{
	struct cwrs_connection *conn = rx->conn;
	bool alone;

	trace_cwrs_parked(rx, starved);
	cwrs_limit_met(starved ? CWRS_STARVED : CWRS_PARKED);
	spin_lock_bh(&conn->rx_lock);
	conn->starved |= starved;
	if (rx->pull.waited)
		list_add(&rx->entry, &conn->parked); /* keeps its place in the list */
	else
		list_add_tail(&rx->entry, &conn->parked);
	rx->pull.waited = true;
	rx->pull.parked = true;
	alone = !conn->pulling; /* otherwise the end of another pull unparks this call */
	if (alone)
		cwrs_has_data(conn);
	spin_unlock_bh(&conn->rx_lock);
	if (alone)
		svc_xprt_enqueue(&conn->xprt);
}

struct cwrs_receive *cwrs_pull_parked(struct cwrs_connection *conn)
{
	struct cwrs_receive *rx;

	rx = list_first_entry_or_null(&conn->parked, struct cwrs_receive, entry);
	if (!rx || !cwrs_pull_fits(rx) || (conn->starved && conn->pulling))
		return NULL;
	return rx;
}

void cwrs_pull_unpark(struct cwrs_receive *rx)
{
	if (rx->pull.parked)
		cwrs_pull_take(rx);
	rx->pull.parked = false;
}

void cwrs_pull_free(struct cwrs_receive *rx)
{
	struct cwrs_transfers *transfers = rx->pull.transfers;

	if (transfers) {
		cwrs_transfers_unmap(rx->conn, transfers);
		cwrs_spares_give(rx->conn, transfers->page, transfers->pages);
		transfers->pages = 0;
		cwrs_transfers_free(rx->conn, transfers);
	}
	rx->pull.transfers = NULL;
	if (rx->pull.reserved)
		cwrs_pull_release(rx);
}

/*
 * Upper bound for the RDMA Reads of a call: one for each segment, and one more for each chunk that
 * splits a segment of the call's own chunk.
 */
static u16 cwrs_pull_transfers(const struct cwr_header *h)
{
	u16 transfers = h->has_call ? h->call.count + h->reads : 0;
	u16 i;

	for (i = 0; i < h->reads; i++)
		transfers += h->read[i].count;
	return transfers;
}

/* True if the pool of memory regions is large enough for @rx if no other call uses it. */
static bool cwrs_pull_has_regions(const struct cwrs_receive *rx)
{
	const struct cwrs_connection *conn = rx->conn;

	return cwrs_pull_transfers(&rx->header) + rx->pull.pages / conn->region_pages <=
	       conn->regions;
}

/* ---- starting ---- */

/* Adds an RDMA Read of @length bytes at offset @skip of @segment. */
static int cwrs_pull_range(struct cwrs_stream *s, const struct cwr_segment *segment, u32 skip,
			   u32 length)
{
	struct cwrs_transfers *transfers = s->rx->pull.transfers;
	u32 nents = DIV_ROUND_UP(offset_in_page(s->at) + length, PAGE_SIZE);
	struct scatterlist *sg = cwrs_transfers_list(transfers, nents);

	if (!sg)
		return -EINVAL;
	for (; length; sg = sg_next(sg)) {
		u32 part = min_t(u32, length, PAGE_SIZE - offset_in_page(s->at));

		sg_set_page(sg, transfers->page[s->at >> PAGE_SHIFT], part, offset_in_page(s->at));
		s->at += part;
		length -= part;
	}
	return cwrs_transfers_add(s->rx->conn, transfers, nents, segment->handle,
				  segment->offset + skip);
}

/* Adds RDMA Reads of @length bytes at offset @skip of @chunk. */
static int cwrs_pull_chunk(struct cwrs_stream *s, const struct cwr_chunk *chunk, u32 skip,
			   u32 length)
{
	const struct cwr_segment *segment = &s->rx->segment[chunk->first];

	for (; length; segment++) {
		u32 part;
		int ret;

		if (skip >= segment->length) {
			skip -= segment->length;
			continue;
		}
		part = min(length, segment->length - skip);
		ret = cwrs_pull_range(s, segment, skip, part);
		if (ret)
			return ret;
		skip = 0;
		length -= part;
	}
	return 0;
}

/* Adds the bytes from @from to @to of the message without its chunks. */
static int cwrs_pull_between(struct cwrs_stream *s, u32 from, u32 to)
{
	if (s->rx->header.has_call)
		return cwrs_pull_chunk(s, &s->rx->header.call, from, to - from);
	s->at += to - from; /* cwrs_pull_fill() copies them after the data has arrived */
	return 0;
}

static int cwrs_pull_build(struct cwrs_receive *rx)
{
	const struct cwr_header *h = &rx->header;
	u32 body = h->has_call ? h->call.length : rx->length - h->len;
	u32 from = h->has_call ? 0 : h->read[0].at;
	struct cwrs_stream s = { .rx = rx };
	u16 i;
	int ret;

	for (i = 0; i < h->reads; i++) {
		ret = cwrs_pull_between(&s, from, h->read[i].at);
		if (ret)
			return ret;
		from = h->read[i].at;
		ret = cwrs_pull_chunk(&s, &h->read[i], 0, h->read[i].length);
		if (ret)
			return ret;
		s.at = cwr_padded(s.at);
	}
	return cwrs_pull_between(&s, from, body);
}

/* Takes pages that the connection keeps, and the rest from the thread, which allocates new ones. */
static void cwrs_pull_take_pages(struct cwrs_connection *conn, struct cwrs_transfers *transfers,
				 struct svc_rqst *rqstp, u32 pages)
{
	u32 spares = cwrs_spares_take(conn, transfers->page, pages);
	u32 i;

	for (i = 0; i < pages - spares; i++) {
		transfers->page[spares + i] = rqstp->rq_pages[i];
		rqstp->rq_pages[i] = NULL;
	}
	svc_call_pages_taken(rqstp, i);
	/* A decoder may use the pointer to the next page, but reads no byte of that page. */
	transfers->page[pages] = ZERO_PAGE(0);
	transfers->pages = pages;
}

static void cwrs_pulled(struct cw_post *post, int err)
{
	struct cwrs_receive *rx = container_of(post, struct cwrs_receive, pull.post);
	struct cwrs_connection *conn = rx->conn;

	cwrs_transfers_unmap(conn, rx->pull.transfers);
	/* The connection is dead. The end of the connection frees the pages. */
	if (unlikely(err))
		return;
	cwrs_count_completions(conn);
	spin_lock_bh(&conn->rx_lock);
	conn->starved = false;
	list_add_tail(&rx->entry, &conn->pulled);
	cwrs_has_data(conn);
	spin_unlock_bh(&conn->rx_lock);
	svc_xprt_enqueue(&conn->xprt);
}

static void cwrs_pull_post(struct cwrs_receive *rx)
{
	struct cwrs_connection *conn = rx->conn;
	struct cw_post *post = &rx->pull.post;

	cw_post_fetch(post, cwrs_transfers_chain(conn, rx->pull.transfers, &post->cqe, NULL),
		      rx->pull.transfers->wrs);
	post->complete = cwrs_pulled;
	trace_cwrs_pull(rx);
	cwr_count(&conn->info, CW_NFS_PULLED_READS, rx->pull.transfers->count);
	cw_endpoint_post_now(&conn->ep, post); /* the call may be over when this returns */
}

static int cwrs_pull_prepare(struct cwrs_receive *rx, struct svc_rqst *rqstp)
{
	u32 pages = rx->pull.pages;
	u16 count = cwrs_pull_transfers(&rx->header);
	int ret;

	rx->pull.transfers = cwrs_transfers_alloc(count, pages + count, pages, DMA_FROM_DEVICE);
	if (!rx->pull.transfers)
		return -ENOMEM;
	cwrs_pull_take_pages(rx->conn, rx->pull.transfers, rqstp, pages);
	ret = cwrs_pull_build(rx);
	if (!ret && rx->pull.transfers->wrs > rx->conn->ep.longest)
		ret = -EPROTO;
	return ret;
}

int cwrs_pull_start(struct cwrs_receive *rx, struct svc_rqst *rqstp)
{
	const struct cwr_header *h = &rx->header;
	u64 length = cwrs_pull_length(rx);
	int ret;

	rx->pull.length = length;
	rx->pull.pages = DIV_ROUND_UP_ULL(length, PAGE_SIZE);
	if (!rx->conn->may_pull || rx->pull.pages > cwrs_call_pages(rqstp))
		return -EPROTO;
	if (!h->has_call && h->read[0].at < CWRS_CALL_MIN)
		return -EPROTO;
	if (!rx->pull.reserved && !cwrs_pull_reserve(rx))
		return -EAGAIN;
	ret = cwrs_pull_prepare(rx, rqstp);
	if (!ret) {
		cwrs_pull_post(rx);
		return 0;
	}
	/*
	 * The pool of memory regions is empty. Either other calls will return their regions, or
	 * this call needs more than the whole pool.
	 */
	if (ret == -EAGAIN)
		ret = cwrs_pull_has_regions(rx) ? -ENOBUFS : -EPROTO;
	cwrs_pull_free(rx);
	return ret;
}

/* ---- finishing ---- */

/* Writes @length bytes from @from, or zeroes if @from is NULL. */
static void cwrs_pull_write(struct cwrs_stream *s, const void *from, u32 length)
{
	while (length) {
		u32 part = min_t(u32, length, PAGE_SIZE - offset_in_page(s->at));
		void *to = page_address(s->rx->pull.transfers->page[s->at >> PAGE_SHIFT]) +
			   offset_in_page(s->at);

		if (from) {
			memcpy(to, from, part);
			from += part;
		} else {
			memset(to, 0, part);
		}
		s->at += part;
		length -= part;
	}
}

/* Writes the padding, and the bytes of the receive between and behind the chunks. */
static void cwrs_pull_fill(struct cwrs_receive *rx)
{
	const struct cwr_header *h = &rx->header;
	const void *body = rx->buf->data + h->len;
	u32 end = h->has_call ? h->call.length : rx->length - h->len;
	struct cwrs_stream s = { .rx = rx };
	u16 i;

	if (h->has_call && h->reads)
		s.at = h->read[0].at;
	for (i = 0; i < h->reads; i++) {
		u32 next = i + 1 < h->reads ? h->read[i + 1].at : end;
		u32 between = next - h->read[i].at;

		s.at += h->read[i].length;
		cwrs_pull_write(&s, NULL, cwr_padded(s.at) - s.at);
		if (h->has_call)
			s.at += between;
		else
			cwrs_pull_write(&s, body + h->read[i].at, between);
	}
}

int cwrs_pull_finish(struct cwrs_receive *rx, struct svc_rqst *rqstp)
{
	const struct cwr_header *h = &rx->header;
	struct cwrs_transfers *transfers = rx->pull.transfers;
	struct xdr_buf *arg = &rqstp->rq_arg;
	u32 length = rx->pull.length;

	cwrs_pull_fill(rx);
	if (h->has_call) {
		arg->head[0].iov_base = page_address(transfers->page[0]);
		arg->head[0].iov_len = min_t(u32, length, PAGE_SIZE);
		arg->pages = transfers->page + 1;
		arg->page_len = length - arg->head[0].iov_len;
		cwr_count(&rx->conn->info, CW_NFS_LONG_CALLS, 1);
	} else {
		arg->head[0].iov_base = rx->buf->data + h->len;
		arg->head[0].iov_len = h->read[0].at;
		arg->pages = transfers->page;
		arg->page_len = length;
	}
	if (arg->head[0].iov_len < CWRS_CALL_MIN)
		return -EPROTO;
	if (h->reads)
		cwr_count(&rx->conn->info, CW_NFS_CHUNKED_WRITES, 1);
	arg->page_base = 0;
	arg->tail[0].iov_base = NULL;
	arg->tail[0].iov_len = 0;
	arg->len = arg->head[0].iov_len + arg->page_len;
	arg->buflen = arg->len;
	return 0;
}
