/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RPC-over-RDMA version 1 headers (RFC 8166): from bytes to a checked struct, and back.
 *
 * Pure functions: no allocation, no global state, any context. They compile unchanged in the kernel
 * and in user space, where they are unit-tested and fuzzed. Inputs may be unaligned and are not
 * referenced afterwards: segments are copied into an array of the caller, whose size bounds the
 * memory that a peer can make this host use. The comments of the fields state what the parser
 * guarantees.
 *
 * A chunk is a range of that array. The bytes of the chunks of a message, and of each list, are
 * summed in 64 bits and stay within the caller's limits.
 */
#ifndef CWR_WIRE_HEADER_H
#define CWR_WIRE_HEADER_H

#include "words.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CWR_VERSION 1
#define CWR_HEADER_MIN 28 /* bytes: the fixed words and three empty lists */
#define CWR_FIXED 16 /* bytes: xid, version, credits, procedure */
#define CWR_REPLY_MIN 20 /* bytes: an error report of a bad chunk */
#define CWR_SEGMENT_BYTES 16
#define CWR_READ_SEGMENT_BYTES 24 /* with discriminator and position */
#define CWR_READ_CHUNKS 4 /* in one message; RFC 8267 requires a server to take two */
#define CWR_WRITE_CHUNKS 4 /* in one message; RFC 8267 requires a server to take one */

enum cwr_proc {
	CWR_MSG = 0, /* the RPC message follows the header */
	CWR_NOMSG = 1, /* it is in the chunk of position 0, or in the reply chunk */
	CWR_DONE = 3, /* the client has read the server's chunks; no server uses this today */
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
	u16 first; /* index in the array of segments */
	u16 count;
	u32 position; /* read chunks: position in the unreduced message, a multiple of 4 */
	u32 at; /* read chunks except position 0: place of its bytes in the reduced message */
	u32 length; /* bytes of all its segments */
};

/* The limits of the caller. The parser keeps within them. */
struct cwr_room {
	struct cwr_segment *segment;
	u16 segments; /* in all lists together */
	u32 read_bytes; /* in all read chunks together */
	u32 write_bytes; /* in each write chunk, and in the reply chunk */
};

/* The fields reads, writes, has_call and has_reply determine which chunks are valid. */
struct cwr_header {
	u32 xid;
	u32 version; /* as sent; an answer to another version echoes it */
	u32 credits; /* as sent; see cwr_credits() */
	u32 proc; /* enum cwr_proc */
	u32 len; /* bytes of the header; an inline RPC message begins here */
	u16 segments; /* entries of the array in use */
	u16 reads; /* without position 0; in ascending order, none is empty */
	u16 writes;
	bool has_call; /* a read chunk of position 0 has the whole call */
	bool has_reply;
	struct cwr_chunk call;
	struct cwr_chunk read[CWR_READ_CHUNKS];
	struct cwr_chunk write[CWR_WRITE_CHUNKS]; /* a count of 0 is a chunk without segments */
	struct cwr_chunk reply;
	u32 error; /* CWR_ERROR: enum cwr_error */
	u32 version_low, version_high; /* CWR_ERR_VERS */
};

/**
 * cwr_parse_call() - parses the header of a message that may be a call
 * @data: the message
 * @len: its bytes
 * @room: limits, and the array for segments
 * @out: set unless the result is -EBADMSG; on errors only xid, version and credits
 *
 * A call has the procedure MSG or NOMSG. The positions of read chunks are within the message: @at
 * of a chunk is at most the number of bytes behind the header (MSG), or the length of the call
 * chunk (NOMSG).
 *
 * Context: Any context.
 * Return: 0; -EBADMSG: drop the message silently, because it is shorter than a header or an error
 *   report (RFC 8166, 4.5); -EPROTONOSUPPORT: answer CWR_ERR_VERS; -EPROTO: answer CWR_ERR_CHUNK.
 */
int cwr_parse_call(const void *data, size_t len, const struct cwr_room *room,
		   struct cwr_header *out);

/**
 * cwr_parse_reply() - parses the header of a message that may be a reply
 * @data: the message
 * @len: its bytes
 * @room: limits, and the array for segments
 * @out: set on success
 *
 * A reply has no read list, and the procedure MSG, possibly with an empty reply chunk; NOMSG with a
 * reply chunk; or ERROR.
 *
 * Context: Any context.
 * Return: 0; -EBADMSG: drop the message. With at least CWR_REPLY_MIN bytes, xid is set even then,
 *   and cwr_direction() may be called, which gives an answer if the lists could be read.
 */
int cwr_parse_reply(const void *data, size_t len, const struct cwr_room *room,
		    struct cwr_header *out);

/**
 * cwr_used() - counts the bytes that the responder wrote into a chunk
 * @registered: the segments of the chunk as registered
 * @count: their number
 * @echo: the segments as returned by the responder
 * @echoed: their number
 * @bytes: set on success
 *
 * Context: Any context.
 * Return: 0; -EPROTO: more segments or bytes than were registered, or a gap.
 */
int cwr_used(const struct cwr_segment *registered, u16 count, const struct cwr_segment *echo,
	     u16 echoed, u32 *bytes);

enum cwr_direction {
	CWR_CALL = 0,
	CWR_REPLY = 1,
};

/**
 * cwr_direction() - determines whether an inline message is a call or a reply (RFC 8167, 4.1)
 * @data: the message
 * @len: its bytes
 * @header: its parsed header
 *
 * Context: Any context.
 * Return: enum cwr_direction; -EBADMSG: neither, too short, or another xid than in @header.
 */
int cwr_direction(const void *data, size_t len, const struct cwr_header *header);

/**
 * cwr_credits() - returns the effective number of granted credits
 * @granted: as sent by the peer
 * @most: own maximum
 *
 * Context: Any context.
 * Return: At least 1 (RFC 8166, 4.3.1 allows no 0), at most @most.
 */
static inline u32 cwr_credits(u32 granted, u32 most)
{
	if (!granted)
		return 1;
	return granted < most ? granted : most;
}

/**
 * cwr_padded() - returns the bytes that an item occupies in a message (RFC 4506)
 * @len: its bytes
 *
 * Context: Any context.
 * Return: @len, rounded up to a multiple of 4.
 */
static inline u32 cwr_padded(u32 len)
{
	return (len + 3) & ~3U;
}

/* ---- encoding ---- */

/*
 * A header that is being written into a buffer of the caller. Words that do not fit are left out,
 * and cwr_put_end() returns -EMSGSIZE then.
 */
struct cwr_encoder {
	u8 *start;
	size_t len;
	size_t size;
	bool full;
};

/**
 * cwr_put_plain() - writes the whole header of a message without chunks
 * @to: CWR_HEADER_MIN bytes
 * @xid: of the message
 * @credits: to be granted or requested
 *
 * Context: Any context.
 */
void cwr_put_plain(void *to, u32 xid, u32 credits);

/**
 * cwr_put_start() - starts a header
 * @enc: the encoder
 * @to: the buffer
 * @size: its bytes
 * @xid: of the message
 * @credits: to be granted or requested
 * @proc: procedure of the message
 *
 * To be called in this order: start, read segments, none, write chunks, none, and the reply chunk
 * or none.
 *
 * Context: Any context.
 */
void cwr_put_start(struct cwr_encoder *enc, void *to, size_t size, u32 xid, u32 credits,
		   enum cwr_proc proc);

/**
 * cwr_put_read() - writes a read segment
 * @enc: the encoder
 * @position: position of the chunk in the message; segments of one chunk have the same position
 * @segment: the segment
 *
 * Context: Any context.
 */
void cwr_put_read(struct cwr_encoder *enc, u32 position, const struct cwr_segment *segment);

/**
 * cwr_put_write() - writes a write chunk
 * @enc: the encoder
 * @segment: its segments
 * @count: their number
 *
 * Context: Any context.
 */
void cwr_put_write(struct cwr_encoder *enc, const struct cwr_segment *segment, u16 count);
/**
 * cwr_put_written() - echoes a write chunk
 * @enc: the encoder
 * @segment: its segments
 * @count: their number
 * @used: bytes that were written; 0: the chunk was not used
 *
 * Context: Any context.
 */
void cwr_put_written(struct cwr_encoder *enc, const struct cwr_segment *segment, u16 count,
		     u32 used);

/**
 * cwr_put_reply() - writes the reply chunk
 * @enc: the encoder
 * @segment: its segments
 * @count: their number
 *
 * Context: Any context.
 */
void cwr_put_reply(struct cwr_encoder *enc, const struct cwr_segment *segment, u16 count);

/**
 * cwr_put_replied() - echoes the reply chunk
 * @enc: the encoder
 * @segment: its segments
 * @count: their number
 * @used: bytes that were written; 0: the chunk was not used
 *
 * Context: Any context.
 */
void cwr_put_replied(struct cwr_encoder *enc, const struct cwr_segment *segment, u16 count,
		     u32 used);
/**
 * cwr_put_none() - writes that no read segment, no write chunk or no reply chunk follows
 * @enc: the encoder
 *
 * Context: Any context.
 */
void cwr_put_none(struct cwr_encoder *enc);
/**
 * cwr_put_end() - ends a header
 * @enc: the encoder
 *
 * Context: Any context.
 * Return: The bytes of the header, or -EMSGSIZE if they did not fit.
 */
int cwr_put_end(const struct cwr_encoder *enc);

/**
 * cwr_put_error() - writes the error report for a malformed call
 * @to: at least CWR_HEADER_MIN bytes
 * @header: from cwr_parse_call()
 * @credits: to be granted
 * @err: result of cwr_parse_call()
 *
 * Context: Any context.
 * Return: Bytes of the report.
 */
int cwr_put_error(void *to, const struct cwr_header *header, u32 credits, int err);

#ifdef __cplusplus
}
#endif

#endif
