// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls and replies that are registered as a whole: the pages as SunRPC has them, head and tail in
 * own pages, because they share their memory with other objects. The head ends at the end of its
 * last own page and the tail begins at the start of its first. So head, data and tail are one
 * memory region if the data begins and ends at page boundaries.
 */
#include "whole.h"

static u32 cwrc_pages_for(const struct kvec *vec)
{
	return DIV_ROUND_UP(vec->iov_len, PAGE_SIZE);
}

/* The offset of the head in its own pages, so that it ends at the end of the last one. */
static u32 cwrc_head_offset(const struct kvec *head)
{
	return PAGE_ALIGN(head->iov_len) - head->iov_len;
}

u32 cwrc_whole_pieces(const struct xdr_buf *buf, struct page **own, struct cwrc_piece *piece)
{
	u32 count = 0;

	if (buf->head[0].iov_len)
		piece[count++] = (struct cwrc_piece){
			own, cwrc_head_offset(&buf->head[0]), buf->head[0].iov_len,
		};
	if (buf->page_len)
		piece[count++] = (struct cwrc_piece){ buf->pages, buf->page_base, buf->page_len };
	if (buf->tail[0].iov_len)
		piece[count++] = (struct cwrc_piece){
			own + cwrc_pages_for(&buf->head[0]), 0, buf->tail[0].iov_len,
		};
	return count;
}

void cwrc_copy_own(struct page **own, u32 offset, const struct kvec *vec, u32 len, bool in)
{
	u32 done = 0;

	while (done < len) {
		u32 at = offset + done;
		u32 part = min_t(u32, len - done, PAGE_SIZE - offset_in_page(at));
		void *page = page_address(own[at >> PAGE_SHIFT]) + offset_in_page(at);

		if (in)
			memcpy(vec->iov_base + done, page, part);
		else
			memcpy(page, vec->iov_base + done, part);
		done += part;
	}
}

void cwrc_copy_head(struct page **own, const struct kvec *head, u32 len, bool in)
{
	cwrc_copy_own(own, cwrc_head_offset(head), head, len, in);
}

int cwrc_whole_prepare(struct cwrc_call *call, const struct rpc_rqst *rqst, bool whole_call,
		       bool whole_reply)
{
	const struct xdr_buf *out = &rqst->rq_snd_buf, *in = &rqst->rq_rcv_buf;
	u32 count = 0;
	int ret;

	if (whole_call)
		count += cwrc_pages_for(&out->head[0]) + cwrc_pages_for(&out->tail[0]);
	call->own_reply = count;
	if (whole_reply)
		count += cwrc_pages_for(&in->head[0]) + cwrc_pages_for(&in->tail[0]);
	ret = cwrc_call_own_pages(call, count, rpc_task_gfp_mask());
	if (ret || !whole_call)
		return ret;
	cwrc_copy_head(call->own, &out->head[0], out->head[0].iov_len, false);
	cwrc_copy_own(call->own + cwrc_pages_for(&out->head[0]), 0, &out->tail[0],
		      out->tail[0].iov_len, false);
	cwr_count(&call->transport->info, CWR_PULLUP_BYTES,
		  out->head[0].iov_len + out->tail[0].iov_len);
	return 0;
}
