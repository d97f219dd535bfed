// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses RPC-over-RDMA version 1 headers (RFC 8166, section 4).
 *
 * The lists are read with one cursor that never passes the end of the message. A count is compared
 * with the room for segments before it is used in a multiplication. Segments of length 0 in a read
 * list have no effect and are left out; those in a write list stay, because they are echoed.
 */
#include "header.h"

#define CWR_MESSAGE_MAX 0x7fffffff /* bytes; lengths have 32 bits here */

struct cursor {
	const u8 *at;
	size_t left;
};

static bool cwr_header_get(struct cursor *c, u32 *value)
{
	if (c->left < sizeof(*value))
		return false;
	*value = cwr_get32(c->at);
	c->at += sizeof(*value);
	c->left -= sizeof(*value);
	return true;
}

/* Reads the next segment. False: the message or the caller's room ends, or the range wraps. */
static bool cwr_header_get_segment(struct cursor *c, const struct cwr_room *room,
				   struct cwr_header *out, struct cwr_segment *segment)
{
	if (c->left < CWR_SEGMENT_BYTES || out->segments >= room->segments)
		return false;
	segment->handle = cwr_get32(c->at);
	segment->length = cwr_get32(c->at + 4);
	segment->offset = cwr_get64(c->at + 8);
	c->at += CWR_SEGMENT_BYTES;
	c->left -= CWR_SEGMENT_BYTES;
	return segment->offset + segment->length >= segment->offset;
}

static void cwr_header_keep(const struct cwr_room *room, struct cwr_header *out,
			    struct cwr_chunk *chunk, const struct cwr_segment *segment)
{
	room->segment[out->segments++] = *segment;
	chunk->count++;
	chunk->length += segment->length;
}

/* ---- read list ---- */

/* The chunk that a segment of @position belongs to. NULL: there are too many chunks. */
static struct cwr_chunk *cwr_header_read_chunk(struct cwr_header *out, u32 position)
{
	struct cwr_chunk *chunk;

	if (out->reads && out->read[out->reads - 1].position == position)
		return &out->read[out->reads - 1];
	if (!position) {
		chunk = &out->call;
		out->has_call = true;
	} else if (out->reads < CWR_READ_CHUNKS) {
		chunk = &out->read[out->reads++];
	} else {
		return NULL;
	}
	if (!chunk->count) {
		chunk->first = out->segments;
		chunk->position = position;
	}
	return chunk;
}

/*
 * The segments of a chunk must be adjacent, and chunks must be in the order of their positions, as
 * an encoder produces them that works from front to back.
 */
static bool cwr_header_parse_reads(struct cursor *c, const struct cwr_room *room,
				   struct cwr_header *out)
{
	u32 more, position, last = 0;
	u64 total = 0;

	for (;;) {
		struct cwr_segment segment;
		struct cwr_chunk *chunk;

		if (!cwr_header_get(c, &more) || more > 1)
			return false;
		if (!more)
			return true;
		if (!cwr_header_get(c, &position) || position % 4 || position < last ||
		    !cwr_header_get_segment(c, room, out, &segment))
			return false;
		last = position;
		total += segment.length;
		if (total > room->read_bytes)
			return false;
		if (!segment.length)
			continue;
		chunk = cwr_header_read_chunk(out, position);
		if (!chunk)
			return false;
		cwr_header_keep(room, out, chunk, &segment);
	}
}

/*
 * Computes the place of each chunk in the message without chunks. @body: bytes of that message. A
 * chunk is followed by its padding, even if the chunk does not carry it.
 */
static bool cwr_header_place_reads(struct cwr_header *out, u32 body)
{
	u64 moved = 0; /* bytes of the whole message in the chunks so far */
	u16 i;

	for (i = 0; i < out->reads; i++) {
		struct cwr_chunk *chunk = &out->read[i];
		u64 before = i ? (u64)out->read[i - 1].at + moved : 0;

		if (chunk->position < before || chunk->position - moved > body)
			return false;
		chunk->at = (u32)(chunk->position - moved);
		moved += ((u64)chunk->length + 3) & ~3ULL;
	}
	return true;
}

/* ---- write list and reply chunk ---- */

static bool cwr_header_parse_chunk(struct cursor *c, const struct cwr_room *room,
				   struct cwr_header *out, struct cwr_chunk *chunk)
{
	u64 total = 0;
	u32 count;

	if (!cwr_header_get(c, &count) || count > (u32)(room->segments - out->segments))
		return false;
	chunk->first = out->segments;
	while (count--) {
		struct cwr_segment segment;

		if (!cwr_header_get_segment(c, room, out, &segment))
			return false;
		total += segment.length;
		if (total > room->write_bytes)
			return false;
		cwr_header_keep(room, out, chunk, &segment);
	}
	return true;
}

static bool cwr_header_parse_writes(struct cursor *c, const struct cwr_room *room,
				    struct cwr_header *out)
{
	u32 more;

	for (;;) {
		if (!cwr_header_get(c, &more) || more > 1)
			return false;
		if (!more)
			return true;
		if (out->writes == CWR_WRITE_CHUNKS ||
		    !cwr_header_parse_chunk(c, room, out, &out->write[out->writes++]))
			return false;
	}
}

static bool cwr_header_parse_reply_chunk(struct cursor *c, const struct cwr_room *room,
					 struct cwr_header *out)
{
	u32 more;

	if (!cwr_header_get(c, &more) || more > 1)
		return false;
	out->has_reply = more;
	return !more || cwr_header_parse_chunk(c, room, out, &out->reply);
}

/* ---- messages ---- */

static void cwr_header_clear_chunks(struct cwr_header *out)
{
	memset(&out->call, 0, sizeof(out->call));
	memset(out->read, 0, sizeof(out->read));
	memset(out->write, 0, sizeof(out->write));
	memset(&out->reply, 0, sizeof(out->reply));
}

static bool cwr_header_parse_lists(struct cursor *c, const struct cwr_room *room,
				   struct cwr_header *out)
{
	/* Fast path: most messages have no chunk. */
	if (c->left >= 12 && !(cwr_get32(c->at) | cwr_get32(c->at + 4) | cwr_get32(c->at + 8))) {
		c->at += 12;
		c->left -= 12;
		return true;
	}
	cwr_header_clear_chunks(out);
	return cwr_header_parse_reads(c, room, out) && cwr_header_parse_writes(c, room, out) &&
	       cwr_header_parse_reply_chunk(c, room, out);
}

static void cwr_header_clear(struct cwr_header *out)
{
	out->segments = 0;
	out->reads = 0;
	out->writes = 0;
	out->has_call = false;
	out->has_reply = false;
	out->error = 0;
	out->version_low = 0;
	out->version_high = 0;
}

static void cwr_header_parse_fixed(struct cursor *c, const u8 *data, size_t len,
				   struct cwr_header *out)
{
	c->at = data + CWR_FIXED;
	c->left = len - CWR_FIXED;
	cwr_header_clear(out);
	out->xid = cwr_get32(data);
	out->version = cwr_get32(data + 4);
	out->credits = cwr_get32(data + 8);
	out->proc = cwr_get32(data + 12);
	out->len = CWR_FIXED;
}

int cwr_parse_call(const void *data, size_t len, const struct cwr_room *room,
		   struct cwr_header *out)
{
	struct cursor c;
	bool whole;
	u32 body;

	if (len < CWR_HEADER_MIN || len > CWR_MESSAGE_MAX)
		return -EBADMSG;
	cwr_header_parse_fixed(&c, data, len, out);
	/* The procedures of another version are not known. */
	if (out->version != CWR_VERSION)
		return -EPROTONOSUPPORT;
	/* Neither is answered. */
	if (out->proc == CWR_ERROR || out->proc == CWR_DONE)
		return -EBADMSG;
	if (out->proc != CWR_MSG && out->proc != CWR_NOMSG)
		return -EPROTO;
	if (!cwr_header_parse_lists(&c, room, out))
		return -EPROTO;
	out->len = (u32)(len - c.left);
	whole = out->proc == CWR_NOMSG;
	if (out->has_call != whole)
		return -EPROTO;
	body = out->has_call ? out->call.length : (u32)c.left;
	return cwr_header_place_reads(out, body) ? 0 : -EPROTO;
}

static bool cwr_header_parse_error(struct cursor *c, struct cwr_header *out)
{
	if (!cwr_header_get(c, &out->error))
		return false;
	switch (out->error) {
	case CWR_ERR_VERS:
		return cwr_header_get(c, &out->version_low) &&
		       cwr_header_get(c, &out->version_high);
	case CWR_ERR_CHUNK:
		return true;
	default:
		return false;
	}
}

int cwr_parse_reply(const void *data, size_t len, const struct cwr_room *room,
		    struct cwr_header *out)
{
	struct cursor c;
	bool fine;

	if (len < CWR_REPLY_MIN || len > CWR_MESSAGE_MAX)
		return -EBADMSG;
	cwr_header_parse_fixed(&c, data, len, out);
	if (out->version != CWR_VERSION)
		return -EBADMSG;
	switch (out->proc) {
	case CWR_MSG:
		/* A reply chunk that was not used comes back empty (RFC 8166). */
		fine = cwr_header_parse_lists(&c, room, out) &&
		       (!out->has_reply || !out->reply.length);
		break;
	case CWR_NOMSG:
		fine = cwr_header_parse_lists(&c, room, out) && out->has_reply;
		break;
	case CWR_ERROR:
		fine = cwr_header_parse_error(&c, out);
		break;
	default:
		return -EBADMSG;
	}
	out->len = (u32)(len - c.left);
	return fine && !out->has_call && !out->reads ? 0 : -EBADMSG;
}

int cwr_used(const struct cwr_segment *registered, u16 count, const struct cwr_segment *echo,
	     u16 echoed, u32 *bytes)
{
	bool ended = false;
	u32 total = 0;
	u16 i;

	if (echoed > count)
		return -EPROTO;
	for (i = 0; i < echoed; i++) {
		if (echo[i].length > registered[i].length || (ended && echo[i].length))
			return -EPROTO;
		ended = echo[i].length < registered[i].length;
		total += echo[i].length;
	}
	*bytes = total;
	return 0;
}

int cwr_direction(const void *data, size_t len, const struct cwr_header *header)
{
	const u8 *body = (const u8 *)data + header->len;
	u32 direction;

	if (header->proc != CWR_MSG || len < header->len || len - header->len < 8 ||
	    cwr_get32(body) != header->xid)
		return -EBADMSG;
	direction = cwr_get32(body + 4);
	return direction <= CWR_REPLY ? (int)direction : -EBADMSG;
}
