/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RPC-over-RDMA version 1 headers (RFC 8166): bytes to a checked struct, and back to bytes.
 *
 * Pure functions: no allocation, no global state, any context. They compile unchanged in the kernel
 * and in user space, where they are unit-tested and fuzzed. Inputs may be unaligned and are not
 * kept: segments are copied into an array that the caller owns, whose size is the bound of what a
 * peer can make us remember. A number of the wire that came through here obeys what is said at its
 * field.
 *
 * A chunk is a range of that array. The bytes of the chunks of a message and of all lists together
 * are summed in 64 bits and stay within the caller's limits.
 */
#ifndef CWR_WIRE_HEADER_H
#define CWR_WIRE_HEADER_H

#include "words.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CWR_VERSION 1
#define CWR_HEADER_MIN 28 /* bytes: the fixed words and three empty lists */
#define CWR_FIXED 16 /* xid, version, credits, procedure */
#define CWR_REPLY_MIN 20 /* bytes: the report of a bad chunk */
#define CWR_SEGMENT_BYTES 16
#define CWR_READ_SEGMENT_BYTES 24 /* with discriminator and position */
#define CWR_READ_CHUNKS 4 /* of one message; RFC 8267 asks a server for two */
#define CWR_WRITE_CHUNKS 4 /* of one message; RFC 8267 asks a server for one */

enum cwr_proc {
	CWR_MSG = 0, /* the RPC message follows the header */
	CWR_NOMSG = 1, /* it lies in the chunk of position 0, or in the reply chunk */
	CWR_DONE = 3, /* the client has read what the server lent it, which no server does today */
	CWR_ERROR = 4,
};

enum cwr_error {
	CWR_ERR_VERS = 1,
	CWR_ERR_CHUNK = 2,
};

struct cwr_segment {
	u32 handle;
	u32 length;
	u64 offset; /* offset + length does not wrap */
};

struct cwr_chunk {
	u16 first; /* in the array of segments */
	u16 count;
	u32 position; /* read chunks: in the unreduced message, a multiple of 4 */
	u32 at; /* read chunks but position 0: where in the reduced message its bytes belong */
	u32 length; /* bytes of its segments */
};

/* What a caller can take. Set by the caller, kept by the parser. */
struct cwr_room {
	struct cwr_segment *segment;
	u16 segments; /* of all lists together */
	u32 read_bytes; /* of all read chunks together */
	u32 write_bytes; /* of each write chunk and of the reply chunk */
};

/* Chunks are set as far as reads, writes, has_call and has_reply say. */
struct cwr_header {
	u32 xid;
	u32 version; /* as sent: an answer to another version echoes it */
	u32 credits; /* as sent: see cwr_credits() */
	u32 proc; /* enum cwr_proc */
	u32 len; /* bytes of the header: an inline RPC message starts here */
	u16 segments; /* in use */
	u16 reads; /* without position 0, in ascending order, none empty */
	u16 writes;
	bool has_call; /* read chunk of position 0: the whole call */
	bool has_reply;
	struct cwr_chunk call;
	struct cwr_chunk read[CWR_READ_CHUNKS];
	struct cwr_chunk write[CWR_WRITE_CHUNKS]; /* a count of 0 is a chunk without segments */
	struct cwr_chunk reply;
	u32 error; /* CWR_ERROR: enum cwr_error */
	u32 version_low, version_high; /* CWR_ERR_VERS */
};

/*
 * The header of a message of @len bytes that may be a call: procedure MSG or NOMSG.
 *
 * 0; -EBADMSG: drop it without a word (shorter than a header, or an error report, RFC 8166, 4.5);
 * -EPROTONOSUPPORT: answer CWR_ERR_VERS; -EPROTO: answer CWR_ERR_CHUNK. xid, version and credits
 * are set unless -EBADMSG. The positions of read chunks lie within the message: a chunk's @at is at
 * most the bytes that follow the header (MSG) or the length of the call chunk (NOMSG).
 */
int cwr_parse_call(const void *data, size_t len, const struct cwr_room *room,
		   struct cwr_header *out);

/*
 * The header of a message of @len bytes that may be a reply: procedure MSG, perhaps with a reply
 * chunk of no bytes, NOMSG with a reply chunk, or ERROR; and no read list. 0, or -EBADMSG: nobody
 * is told; if there are CWR_REPLY_MIN bytes then xid is set, and cwr_direction() may be asked,
 * which knows what follows lists that can be read.
 */
int cwr_parse_reply(const void *data, size_t len, const struct cwr_room *room,
		    struct cwr_header *out);

/*
 * Bytes that the responder wrote into a chunk, from its echo of it. @lent is what was lent, @count
 * its segments. -EPROTO: more segments or bytes than were lent, or a hole.
 */
int cwr_used(const struct cwr_segment *lent, u16 count, const struct cwr_segment *echo,
	     u16 echoed, u32 *bytes);

enum cwr_direction {
	CWR_CALL = 0,
	CWR_REPLY = 1,
};

/*
 * Whether the inline message of @header, in the same @data of @len bytes, is a call or a reply
 * (RFC 8167, 4.1). -EBADMSG: neither, too short to tell, or its xid is not the header's.
 */
int cwr_direction(const void *data, size_t len, const struct cwr_header *header);

/* A grant as it counts: at least 1 (RFC 8166, 4.3.1 has no 0), at most our own maximum. */
static inline u32 cwr_credits(u32 granted, u32 most)
{
	if (!granted)
		return 1;
	return granted < most ? granted : most;
}

/* Bytes that an item of @len bytes takes in a message (RFC 4506). */
static inline u32 cwr_padded(u32 len)
{
	return (len + 3) & ~3U;
}

/* ---- the other direction ---- */

/*
 * A header being written into a buffer of the caller. What does not fit is left out and makes
 * cwr_put_end() return -EMSGSIZE.
 */
struct cwr_encoder {
	u8 *start;
	size_t len;
	size_t size;
	bool full;
};

/* The whole header of a message without chunks: CWR_HEADER_MIN bytes at @to. */
void cwr_put_plain(void *to, u32 xid, u32 credits);

/* In this order: start, read segments, read end, write chunks, write end, reply chunk or none. */
void cwr_put_start(struct cwr_encoder *enc, void *to, size_t size, u32 xid, u32 credits,
		   enum cwr_proc proc);
void cwr_put_read(struct cwr_encoder *enc, u32 position, const struct cwr_segment *segment);
void cwr_put_read_end(struct cwr_encoder *enc);
void cwr_put_write(struct cwr_encoder *enc, const struct cwr_segment *segment, u16 count);
/* The echo of a write chunk of which @used bytes were written; 0 says that it was not used. */
void cwr_put_written(struct cwr_encoder *enc, const struct cwr_segment *segment, u16 count,
		     u32 used);
void cwr_put_write_end(struct cwr_encoder *enc);
void cwr_put_reply(struct cwr_encoder *enc, const struct cwr_segment *segment, u16 count);
void cwr_put_replied(struct cwr_encoder *enc, const struct cwr_segment *segment, u16 count,
		     u32 used);
void cwr_put_reply_none(struct cwr_encoder *enc);
/* Bytes of the header, or -EMSGSIZE. */
int cwr_put_end(const struct cwr_encoder *enc);

/*
 * The error report for a bad call: @err as cwr_parse_call() returned it with @header. At most
 * CWR_HEADER_MIN bytes at @to; returns how many.
 */
int cwr_put_error(void *to, const struct cwr_header *header, u32 credits, int err);

#ifdef __cplusplus
}
#endif

#endif
