// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * Frames of links over TCP (PROTOCOL, section 12).
 *
 * The header of a frame decides how many bytes follow and where they go, so all of its fields are
 * checked before one of these bytes is used. The sequence detects that a sender lost or repeated a
 * frame. The checksum detects that the two ends disagree about the place of a header, and changes
 * on the way that the checksum of TCP misses.
 */
#include "../../../include/wire/causeway_tcp.h"
#include "bytes.h"

#define TO_SERVER 1
#define TO_CLIENT 2

/* For each kind: its sender, its place, the links that carry it, and its length. */
struct frame_kind {
	u8 to;
	bool opens; /* it is the first frame of its sender */
	bool data_link; /* no control link carries it */
	bool memory; /* it names memory of the client */
	u32 min, max; /* a MESSAGE has another maximum for each link */
};

static const struct frame_kind frame_kinds[CW_TCP_GOT + 1] = {
	[CW_TCP_REQUEST] = { TO_SERVER, true, false, false, CW_WIRE_TCP_SETUP_MIN,
			     CW_WIRE_TCP_SETUP_MAX },
	[CW_TCP_ACCEPTANCE] = { TO_CLIENT, true, false, false, sizeof(struct cw_wire_rep),
				sizeof(struct cw_wire_rep) },
	[CW_TCP_REJECTION] = { TO_CLIENT, true, false, false, sizeof(struct cw_wire_rej),
			       sizeof(struct cw_wire_rej) },
	[CW_TCP_MESSAGE] = { TO_SERVER | TO_CLIENT, false, false, false,
			     sizeof(struct cw_wire_tail),
			     CW_WIRE_AREA_MAX * CW_WIRE_PAGE + CW_WIRE_TRAILER },
	[CW_TCP_PUT] = { TO_CLIENT, false, true, true, 1, CW_WIRE_TCP_DATA_MAX },
	[CW_TCP_GET] = { TO_CLIENT, false, true, true, 1, CW_WIRE_TCP_DATA_MAX },
	[CW_TCP_GOT] = { TO_SERVER, false, true, true, 1, CW_WIRE_TCP_DATA_MAX },
};

static u32 cw_tcp_header_crc(const struct cw_wire_tcp *rec, cw_tcp_crc_fn crc32c)
{
	return crc32c(rec, sizeof(*rec) - sizeof(rec->crc));
}

void cw_pack_tcp(struct cw_wire_tcp *rec, const struct cw_tcp_frame *frame, u32 sequence,
		 cw_tcp_crc_fn crc32c)
{
	memset(rec, 0, sizeof(*rec));
	rec->kind = frame->kind;
	rec->len = __cpu_to_le32(frame->len);
	rec->sequence = __cpu_to_le32(sequence);
	rec->rkey = __cpu_to_le32(frame->rkey);
	rec->addr = __cpu_to_le64(frame->addr);
	rec->data_crc = __cpu_to_le32(frame->data_crc);
	rec->crc = __cpu_to_le32(cw_tcp_header_crc(rec, crc32c));
}

int cw_parse_tcp_req(const void *data, size_t len, struct cw_req *out)
{
	struct cw_versions versions;
	struct cw_req req;
	int ret = cw_parse_req(data, len, &req);

	if (ret)
		return ret;
	/* No connection manager has padded it. A later version may have a longer struct. */
	if (cw_parse_versions(data, len, &versions) ||
	    (versions.max == CW_WIRE_VERSION && len != sizeof(struct cw_wire_req)))
		return -EPROTO;
	if (req.transport != CW_WIRE_TCP)
		return -EPROTO;
	*out = req;
	return 0;
}

int cw_parse_tcp_rep(const void *data, size_t len, const struct cw_req *req, struct cw_rep *out)
{
	struct cw_rep rep;
	int ret = cw_parse_rep(data, len, &rep);

	if (ret)
		return ret;
	if (len != sizeof(struct cw_wire_rep) || rep.transport != CW_WIRE_TCP ||
	    rep.kind != req->kind || rep.index != req->index)
		return -EPROTO;
	*out = rep;
	return 0;
}

/* A control link has one page of data, whatever the session has. */
static u32 cw_tcp_message_max(const struct cw_tcp_stream *stream)
{
	return (stream->link == CW_KIND_CONTROL ? CW_WIRE_PAGE : stream->area) + CW_WIRE_TRAILER;
}

/* The frame may come now, on this link, in this direction. */
static bool cw_tcp_may_come(const struct cw_tcp_stream *stream, u8 kind)
{
	const struct frame_kind *k = &frame_kinds[kind];

	if (!(k->to & (stream->to_server ? TO_SERVER : TO_CLIENT)))
		return false;
	if (k->opens || !stream->opened)
		return k->opens && !stream->opened;
	return stream->link == CW_KIND_DATA || (stream->link == CW_KIND_CONTROL && !k->data_link);
}

static bool cw_tcp_valid_len(const struct cw_tcp_stream *stream, u8 kind, u32 len)
{
	const struct frame_kind *k = &frame_kinds[kind];

	if (kind == CW_TCP_MESSAGE && len > cw_tcp_message_max(stream))
		return false;
	if (k->memory && len % CW_WIRE_TCP_DATA_UNIT)
		return false;
	return len >= k->min && len <= k->max;
}

static int cw_tcp_parse_header(struct cw_tcp_stream *stream, cw_tcp_crc_fn crc32c)
{
	struct cw_tcp_frame frame;
	struct cw_wire_tcp rec;

	memcpy(&rec, stream->header, sizeof(rec));
	if (__le32_to_cpu(rec.crc) != cw_tcp_header_crc(&rec, crc32c))
		return -EPROTO;
	if (rec.kind > CW_TCP_GOT || !cw_is_zero(rec.reserved0, sizeof(rec.reserved0)) ||
	    __le32_to_cpu(rec.sequence) != stream->sequence)
		return -EPROTO;
	frame.kind = rec.kind;
	frame.len = __le32_to_cpu(rec.len);
	frame.rkey = __le32_to_cpu(rec.rkey);
	frame.addr = __le64_to_cpu(rec.addr);
	frame.data_crc = __le32_to_cpu(rec.data_crc);
	if (!cw_tcp_may_come(stream, frame.kind) ||
	    !cw_tcp_valid_len(stream, frame.kind, frame.len))
		return -EPROTO;
	if (frame_kinds[frame.kind].memory ?
		    !frame.rkey || frame.addr + frame.len < frame.addr || frame.data_crc :
		    frame.rkey || frame.addr)
		return -EPROTO;

	stream->frame = frame;
	stream->left = frame.kind == CW_TCP_GET ? 0 : frame.len;
	stream->sequence++;
	stream->opened = frame.kind != CW_TCP_REJECTION;
	stream->closed = frame.kind == CW_TCP_REJECTION;
	return 0;
}

int cw_tcp_take_header(struct cw_tcp_stream *stream, const void *data, size_t len,
		       cw_tcp_crc_fn crc32c)
{
	u32 missing = (u32)sizeof(stream->header) - stream->have;
	u32 part = len < missing ? (u32)len : missing;

	if (stream->closed || !missing)
		return -EPROTO;
	memcpy(stream->header + stream->have, data, part);
	stream->have += part;
	if (cw_tcp_in_frame(stream) && cw_tcp_parse_header(stream, crc32c)) {
		/* The next bytes may belong to anything. */
		stream->closed = true;
		stream->have = 0;
		stream->left = 0;
		return -EPROTO;
	}
	return (int)part;
}

int cw_tcp_move(struct cw_tcp_memory *memory, const struct cw_tcp_frame *frame, u32 *offset)
{
	u8 kind = memory->to_peer ? CW_TCP_GET : CW_TCP_PUT;

	if (!memory->rkey || frame->rkey != memory->rkey || frame->kind != kind)
		return -EPROTO;
	if (frame->addr != memory->addr + memory->moved ||
	    frame->len > memory->len - memory->moved)
		return -EPROTO;

	*offset = memory->moved;
	memory->moved += frame->len;
	return 0;
}

bool cw_tcp_may_complete(const struct cw_tcp_memory *memory, bool succeeded)
{
	if (memory->to_peer && memory->answered != memory->moved)
		return false;
	return !succeeded || memory->moved == memory->len;
}

u32 cw_tcp_rkey(u16 slot, u16 *turn)
{
	if (!++*turn)
		++*turn;
	return (u32)*turn << 16 | slot;
}

int cw_tcp_gets_add(struct cw_tcp_gets *gets, const struct cw_tcp_frame *get)
{
	if (gets->count == CW_WIRE_TCP_GETS)
		return -EPROTO;
	gets->of[(gets->first + gets->count++) % CW_WIRE_TCP_GETS] = *get;
	return 0;
}

int cw_tcp_gets_match(const struct cw_tcp_gets *gets, const struct cw_tcp_frame *got)
{
	const struct cw_tcp_frame *get = cw_tcp_gets_oldest(gets);

	if (!get || got->kind != CW_TCP_GOT || got->rkey != get->rkey || got->addr != get->addr ||
	    got->len != get->len)
		return -EPROTO;
	return 0;
}

int cw_tcp_gets_answer(struct cw_tcp_gets *gets, const struct cw_tcp_frame *got)
{
	if (cw_tcp_gets_match(gets, got))
		return -EPROTO;
	gets->first = (gets->first + 1) % CW_WIRE_TCP_GETS;
	gets->count--;
	return 0;
}
