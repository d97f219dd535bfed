// SPDX-License-Identifier: GPL-2.0-only
/* Writes RPC-over-RDMA version 1 headers (RFC 8166, section 4). */
#include "header.h"

static void cwr_encode_put(struct cwr_encoder *enc, u32 value)
{
	if (enc->size - enc->len < sizeof(value)) {
		enc->full = true;
		return;
	}
	cwr_put32(enc->start + enc->len, value);
	enc->len += sizeof(value);
}

static void cwr_encode_put_segment(struct cwr_encoder *enc, const struct cwr_segment *segment,
				   u32 length)
{
	cwr_encode_put(enc, segment->handle);
	cwr_encode_put(enc, length);
	cwr_encode_put(enc, (u32)(segment->offset >> 32));
	cwr_encode_put(enc, (u32)segment->offset);
}

static void cwr_encode_put_chunk(struct cwr_encoder *enc, const struct cwr_segment *segment,
				 u16 count)
{
	u16 i;

	cwr_encode_put(enc, 1);
	cwr_encode_put(enc, count);
	for (i = 0; i < count; i++)
		cwr_encode_put_segment(enc, &segment[i], segment[i].length);
}

static void cwr_encode_put_used(struct cwr_encoder *enc, const struct cwr_segment *segment,
				u16 count,
				u32 used)
{
	u16 i;

	cwr_encode_put(enc, 1);
	cwr_encode_put(enc, count);
	for (i = 0; i < count; i++) {
		u32 length = used < segment[i].length ? used : segment[i].length;

		cwr_encode_put_segment(enc, &segment[i], length);
		used -= length;
	}
}

static void cwr_encode_put_fixed(u8 *to, u32 xid, u32 version, u32 credits, u32 proc)
{
	cwr_put32(to, xid);
	cwr_put32(to + 4, version);
	cwr_put32(to + 8, credits);
	cwr_put32(to + 12, proc);
}

void cwr_put_plain(void *to, u32 xid, u32 credits)
{
	cwr_encode_put_fixed(to, xid, CWR_VERSION, credits, CWR_MSG);
	memset((u8 *)to + CWR_FIXED, 0, CWR_HEADER_MIN - CWR_FIXED);
}

void cwr_put_start(struct cwr_encoder *enc, void *to, size_t size, u32 xid, u32 credits,
		   enum cwr_proc proc)
{
	enc->start = to;
	enc->size = size;
	enc->len = 0;
	enc->full = size < CWR_FIXED;
	if (enc->full)
		return;
	cwr_encode_put_fixed(to, xid, CWR_VERSION, credits, proc);
	enc->len = CWR_FIXED;
}

void cwr_put_read(struct cwr_encoder *enc, u32 position, const struct cwr_segment *segment)
{
	cwr_encode_put(enc, 1);
	cwr_encode_put(enc, position);
	cwr_encode_put_segment(enc, segment, segment->length);
}

void cwr_put_write(struct cwr_encoder *enc, const struct cwr_segment *segment, u16 count)
{
	cwr_encode_put_chunk(enc, segment, count);
}

void cwr_put_written(struct cwr_encoder *enc, const struct cwr_segment *segment, u16 count,
		     u32 used)
{
	cwr_encode_put_used(enc, segment, count, used);
}

void cwr_put_reply(struct cwr_encoder *enc, const struct cwr_segment *segment, u16 count)
{
	cwr_encode_put_chunk(enc, segment, count);
}

void cwr_put_replied(struct cwr_encoder *enc, const struct cwr_segment *segment, u16 count,
		     u32 used)
{
	cwr_encode_put_used(enc, segment, count, used);
}

void cwr_put_none(struct cwr_encoder *enc)
{
	cwr_encode_put(enc, 0);
}

int cwr_put_end(const struct cwr_encoder *enc)
{
	return enc->full ? -EMSGSIZE : (int)enc->len;
}

int cwr_put_error(void *to, const struct cwr_header *header, u32 credits, int err)
{
	u8 *at = to;

	cwr_encode_put_fixed(at, header->xid, header->version, credits, CWR_ERROR);
	if (err != -EPROTONOSUPPORT) {
		cwr_put32(at + 16, CWR_ERR_CHUNK);
		return 20;
	}
	cwr_put32(at + 16, CWR_ERR_VERS);
	cwr_put32(at + 20, CWR_VERSION);
	cwr_put32(at + 24, CWR_VERSION);
	return 28;
}
