// SPDX-License-Identifier: GPL-2.0-only
/*
 * From an answer of nfsd to RDMA Writes and a Send, all in one post.
 *
 * The client registers write chunks for data, and a reply chunk for an answer that may be long. The
 * i-th result that nfsd reports (xpo_result_payload) goes into the i-th write chunk; it leaves the
 * message together with its padding. The rest follows the header of the Send if it fits, and
 * otherwise goes into the reply chunk. The header returns the length of each chunk (RFC 8166, 4.4).
 *
 * The receive of the call is posted again before the answer is sent, so a client that gets an
 * answer finds a receive for its next call.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include <causeway_svc_pages.h>

#include "../wire/sizes.h"
#include "connection.h"
#include "pages.h"
#include "receives.h"
#include "reply.h"
#include "send.h"
#include "transfers.h"

/* A range of bytes of the answer. */
struct cwrs_part {
	u32 offset;
	u32 length;
};

struct cwrs_reply {
	struct cwrs_receive *rx;
	struct cwrs_send *send;
	const struct xdr_buf *res;
	u32 header; /* bytes of the header, and of the rest if it follows the header */
	u32 filled; /* bytes used of the send's memory */
	struct cwrs_part moved[CWR_WRITE_CHUNKS]; /* for each write chunk; length 0: unused */
	struct cwrs_part stays[CWR_WRITE_CHUNKS + 1];
	u16 parts; /* entries of stays */
	u32 rest; /* bytes of all entries of stays */
	bool is_long; /* the parts in stays go into the reply chunk */
};

int cwrs_result_payload(struct svc_rqst *rqstp, unsigned int offset, unsigned int length)
{
	struct cwrs_receive *rx = rqstp->rq_xprt_ctxt;

	/* A client cannot register more chunks than these: further results stay in the message. */
	if (rx->results < CWR_WRITE_CHUNKS) {
		rx->result[rx->results].offset = offset;
		rx->result[rx->results].length = length;
		rx->results++;
	}
	return 0;
}

/* ---- planning ---- */

static bool cwrs_word_is(const struct xdr_buf *res, u32 offset, u32 value)
{
	__be32 word;

	return !read_bytes_from_xdr_buf(res, offset, &word, sizeof(word)) &&
	       be32_to_cpu(word) == value;
}

/*
 * Finds the data of @result, which follows its length in the answer. Most operations report the
 * position of the data, READLINK of NFS 4 that of the length.
 */
static bool cwrs_locate(const struct xdr_buf *res, const struct cwrs_result *result, u32 *offset)
{
	if (result->offset >= 4 && cwrs_word_is(res, result->offset - 4, result->length))
		*offset = result->offset;
	else if (cwrs_word_is(res, result->offset, result->length))
		*offset = result->offset + 4;
	else
		return false;
	return *offset % 4 == 0 && *offset <= res->len && result->length <= res->len - *offset;
}

static void cwrs_stays(struct cwrs_reply *r, u32 from, u32 to)
{
	if (from == to)
		return;
	r->stays[r->parts].offset = from;
	r->stays[r->parts++].length = to - from;
	r->rest += to - from;
}

/* Divides the answer into moved and stays. -EMSGSIZE: a chunk is too small. */
static int cwrs_plan(struct cwrs_reply *r)
{
	const struct cwr_header *h = &r->rx->header;
	u32 at = 0;
	u16 i;

	for (i = 0; i < min_t(u16, h->writes, r->rx->results); i++) {
		const struct cwrs_result *result = &r->rx->result[i];
		u32 offset;

		/* A chunk without segments asks for the data in the message. */
		if (!h->write[i].count || !result->length ||
		    !cwrs_locate(r->res, result, &offset) || offset < at)
			continue;
		if (result->length > h->write[i].length)
			return -EMSGSIZE;
		r->moved[i].offset = offset;
		r->moved[i].length = result->length;
		cwrs_stays(r, at, offset);
		at = min_t(u32, cwr_padded(offset + result->length), r->res->len);
	}
	cwrs_stays(r, at, r->res->len);
	return 0;
}

/* ---- header ---- */

static int cwrs_put_header(struct cwrs_reply *r, enum cwr_proc proc, u32 replied)
{
	const struct cwrs_receive *rx = r->rx;
	const struct cwr_header *h = &rx->header;
	struct cwr_encoder enc;
	u16 i;

	if (likely(!h->writes && !h->has_reply)) {
		cwr_put_plain(r->send->data, h->xid, rx->conn->credits);
		return CWR_HEADER_MIN;
	}
	cwr_put_start(&enc, r->send->data, rx->conn->send_inline, h->xid, rx->conn->credits, proc);
	cwr_put_none(&enc);
	for (i = 0; i < h->writes; i++)
		cwr_put_written(&enc, &rx->segment[h->write[i].first], h->write[i].count,
				r->moved[i].length);
	cwr_put_none(&enc);
	if (h->has_reply)
		cwr_put_replied(&enc, &rx->segment[h->reply.first], h->reply.count, replied);
	else
		cwr_put_none(&enc);
	return cwr_put_end(&enc);
}

static int cwrs_copy(struct cwrs_reply *r, const struct cwrs_part *part)
{
	int ret = read_bytes_from_xdr_buf(r->res, part->offset, r->send->data + r->filled,
					  part->length);

	r->filled += part->length;
	return ret ? -EIO : 0;
}

/* Puts the header, and the rest of the answer behind it if it fits. -EMSGSIZE: no place fits. */
static int cwrs_put_message(struct cwrs_reply *r)
{
	const struct cwr_header *h = &r->rx->header;
	int ret = cwrs_put_header(r, CWR_MSG, 0);
	u16 i;

	if (ret < 0)
		return ret;
	r->header = ret;
	r->filled = ret;
	if (r->rest <= r->rx->conn->send_inline - r->header) {
		for (i = 0; i < r->parts; i++) {
			ret = cwrs_copy(r, &r->stays[i]);
			if (ret)
				return ret;
		}
		r->header = r->filled;
		return 0;
	}
	if (!h->has_reply || r->rest > h->reply.length)
		return -EMSGSIZE;
	r->is_long = true;
	ret = cwrs_put_header(r, CWR_NOMSG, r->rest);
	return ret < 0 ? ret : 0;
}

/* ---- RDMA Writes ---- */

/* The position of the next byte in a chunk of the client. */
struct cwrs_sink {
	const struct cwr_segment *segment;
	u32 used; /* bytes of the segment that are used */
};

/* The next piece of at most @length bytes within one segment. The chunk has room for it. */
static u32 cwrs_sink_next(struct cwrs_sink *sink, u32 length, u32 *handle, u64 *offset)
{
	while (sink->used == sink->segment->length) {
		sink->segment++;
		sink->used = 0;
	}
	length = min(length, sink->segment->length - sink->used);
	*handle = sink->segment->handle;
	*offset = sink->segment->offset + sink->used;
	sink->used += length;
	return length;
}

/* Number of segments that the first @length bytes of @chunk occupy. */
static u16 cwrs_touched(const struct cwrs_receive *rx, const struct cwr_chunk *chunk, u32 length)
{
	u16 n = 0;

	while (length) {
		length -= min(length, rx->segment[chunk->first + n].length);
		n++;
	}
	return n;
}

static bool cwrs_may_copy(const struct cwrs_reply *r, const struct cwr_chunk *chunk, u32 length)
{
	return length <= CWRS_COPY_MAX && length <= r->rx->conn->tx_size - r->filled &&
	       r->send->pushes + cwrs_touched(r->rx, chunk, length) <= CWRS_PUSHES;
}

static int cwrs_push_copy(struct cwrs_reply *r, const struct cwr_chunk *chunk,
			  const struct cwrs_part *part, u16 parts, u32 length)
{
	struct cwrs_sink sink = { .segment = &r->rx->segment[chunk->first] };
	u32 at = r->filled;
	int ret;

	for (; parts; parts--, part++) {
		ret = cwrs_copy(r, part);
		if (ret)
			return ret;
	}
	while (length) {
		u32 handle;
		u64 offset;
		u32 piece = cwrs_sink_next(&sink, length, &handle, &offset);

		cwrs_send_push(r->send, at, piece, handle, offset);
		at += piece;
		length -= piece;
	}
	r->filled = ALIGN(r->filled, 8);
	return 0;
}

/* Number of fragments: one each for head and tail, and one for each page. */
static u32 cwrs_fragments(const struct xdr_buf *buf)
{
	return !!buf->head[0].iov_len + !!buf->tail[0].iov_len +
	       DIV_ROUND_UP(offset_in_page(buf->page_base) + buf->page_len, PAGE_SIZE);
}

static int cwrs_push_piece(struct cwrs_reply *r, u32 at, u32 length, u32 handle, u64 offset)
{
	struct cwrs_transfers *transfers = r->send->transfers;
	struct scatterlist *sg;
	struct xdr_buf buf;
	struct page **page;
	u32 nents, skip, left;

	if (xdr_buf_subsegment(r->res, &buf, at, length))
		return -EIO;
	nents = cwrs_fragments(&buf);
	sg = cwrs_transfers_list(transfers, nents);
	if (!sg)
		return -EIO;
	if (buf.head[0].iov_len) {
		sg_set_buf(sg, buf.head[0].iov_base, buf.head[0].iov_len);
		sg = sg_next(sg);
	}
	page = buf.pages + (buf.page_base >> PAGE_SHIFT);
	skip = offset_in_page(buf.page_base);
	for (left = buf.page_len; left; sg = sg_next(sg)) {
		u32 part = min_t(u32, left, PAGE_SIZE - skip);

		sg_set_page(sg, *page++, part, skip);
		left -= part;
		skip = 0;
	}
	if (buf.tail[0].iov_len)
		sg_set_buf(sg, buf.tail[0].iov_base, buf.tail[0].iov_len);
	return cwrs_transfers_add(r->rx->conn, transfers, nents, handle, offset);
}

static int cwrs_push_pages(struct cwrs_reply *r, const struct cwr_chunk *chunk,
			   const struct cwrs_part *part, u16 parts)
{
	struct cwrs_sink sink = { .segment = &r->rx->segment[chunk->first] };
	int ret;

	for (; parts; parts--, part++) {
		u32 at = part->offset, left = part->length;

		while (left) {
			u32 handle;
			u64 offset;
			u32 piece = cwrs_sink_next(&sink, left, &handle, &offset);

			ret = cwrs_push_piece(r, at, piece, handle, offset);
			if (ret)
				return ret;
			at += piece;
			left -= piece;
		}
	}
	return 0;
}

static int cwrs_push_prepare(struct cwrs_reply *r, struct svc_rqst *rqstp)
{
	u32 pages = rqstp->rq_next_page - rqstp->rq_respages;
	u16 count = r->rx->header.segments + CWR_WRITE_CHUNKS + r->parts;

	if (r->send->transfers)
		return 0;
	/* A transfer may begin and end inside a page, and include parts of head and tail. */
	r->send->transfers = cwrs_transfers_alloc(count, pages + 4 * count, pages, DMA_TO_DEVICE);
	return r->send->transfers ? 0 : -ENOMEM;
}

static int cwrs_push(struct cwrs_reply *r, struct svc_rqst *rqstp, const struct cwr_chunk *chunk,
		     const struct cwrs_part *part, u16 parts, u32 length)
{
	int ret;

	if (!length)
		return 0;
	if (cwrs_may_copy(r, chunk, length))
		return cwrs_push_copy(r, chunk, part, parts, length);
	ret = cwrs_push_prepare(r, rqstp);
	if (ret)
		return ret;
	return cwrs_push_pages(r, chunk, part, parts);
}

static int cwrs_push_all(struct cwrs_reply *r, struct svc_rqst *rqstp)
{
	const struct cwr_header *h = &r->rx->header;
	u16 i;
	int ret = 0;

	r->filled = ALIGN(r->filled, 8);
	for (i = 0; !ret && i < h->writes; i++)
		ret = cwrs_push(r, rqstp, &h->write[i], &r->moved[i], 1, r->moved[i].length);
	if (!ret && r->is_long)
		ret = cwrs_push(r, rqstp, &h->reply, r->stays, r->parts, r->rest);
	if (!ret && r->send->transfers &&
	    r->send->transfers->wrs + r->send->pushes >= r->rx->conn->ep.longest)
		ret = -EMSGSIZE;
	return ret;
}

/* ---- sending ---- */

/*
 * The key that the Send invalidates: the client named several in its call, and any one of them is
 * allowed (RFC 8797, 4.2.2). 0: none.
 */
static u32 cwrs_key(const struct cwrs_receive *rx)
{
	return rx->conn->may_invalidate && rx->header.segments ? rx->segment[0].handle : 0;
}

static void cwrs_count_reply(const struct cwrs_reply *r)
{
	struct cwr_connection *info = &r->rx->conn->info;
	bool chunked = r->res->len > r->rest;

	cwr_count(info, CW_NFS_REPLIES, 1);
	cwr_count(info, CW_NFS_SENT_BYTES, r->res->len);
	if (chunked)
		cwr_count(info, CW_NFS_CHUNKED_READS, 1);
	else if (r->rx->results)
		cwr_count(info, CW_NFS_INLINE_READS, 1);
	if (r->is_long)
		cwr_count(info, CW_NFS_LONG_REPLIES, 1);
}

/* Fills @r->send. -EMSGSIZE: the chunks of the client are too small. */
static int cwrs_build(struct cwrs_reply *r, struct svc_rqst *rqstp)
{
	int ret;

	ret = cwrs_plan(r);
	if (!ret)
		ret = cwrs_put_message(r);
	if (!ret)
		ret = cwrs_push_all(r, rqstp);
	return ret;
}

/*
 * Frees the resources of a failed answer in @send, and makes it an error report. Returns its
 * length.
 */
static u32 cwrs_put_error(struct cwrs_send *send, const struct cwr_header *header, int err)
{
	cwrs_transfers_free(send->conn, send->transfers);
	send->transfers = NULL;
	send->pushes = 0;
	cwr_count(&send->conn->info, CW_NFS_ERRORS, 1);
	return cwr_put_error(send->data, header, send->conn->credits, err);
}

void cwrs_send_error(struct cwrs_receive *rx, int err)
{
	struct cwrs_send *send = cwrs_send_get(rx->conn, GFP_KERNEL);
	u32 length;

	if (!send) {
		cwrs_receive_put(rx);
		return;
	}
	length = cwrs_put_error(send, &rx->header, err);
	cwrs_receive_put(rx);
	cwrs_send_post(send, length, 0);
}

static int cwrs_answer(struct cwrs_connection *conn, struct cwrs_receive *rx,
		       struct svc_rqst *rqstp)
{
	struct cwrs_reply r = { .rx = rx, .res = &rqstp->rq_res };
	u32 key = cwrs_key(rx);
	u32 length;
	int ret;

	cwrs_claim_pages(rqstp);
	r.send = cwrs_send_get(conn, GFP_KERNEL);
	if (!r.send)
		return -ENOMEM;
	ret = cwrs_build(&r, rqstp);
	switch (ret) {
	case 0:
		length = r.header;
		cwrs_count_reply(&r);
		break;
	case -EMSGSIZE:
		length = cwrs_put_error(r.send, &rx->header, -EPROTO);
		key = 0;
		break;
	default:
		cwrs_send_put(r.send);
		return ret;
	}
	cwrs_release_pages(rqstp, r.send->transfers);
	cwrs_hold_end(rx, rqstp);
	svc_answer_pages_gone(rqstp);
	rqstp->rq_xprt_ctxt = NULL;
	cwrs_receive_put(rx);
	cwrs_send_post(r.send, length, key);
	return rqstp->rq_res.len;
}

/*
 * xpo_sendto: returns the bytes of the answer, or -errno. Never waits for the client or the
 * adapter.
 */
int cwrs_sendto(struct svc_rqst *rqstp)
{
	struct cwrs_connection *conn = cwrs_connection(rqstp->rq_xprt);
	int ret;

	if (cwrs_is_dead(conn))
		return -ENOTCONN;
	ret = cwrs_answer(conn, rqstp->rq_xprt_ctxt, rqstp);
	/*
	 * The client repeats the call on another connection, and nfsd has the answer in its cache.
	 */
	if (unlikely(ret < 0)) {
		cw_endpoint_kill(&conn->ep, ret, "answering a call failed (%d)", ret);
		return -ENOTCONN;
	}
	return ret;
}
