/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * Links over TCP: frames, and the memory that a peer moves by them (docs/PROTOCOL.md, section 12).
 *
 * A frame is a header and the bytes that the header announces. A receiver has one struct
 * cw_tcp_stream for each connection and passes to it what arrives, in pieces of any size. It keeps
 * no more than one header. What the frames PUT, GET and GOT may do to memory is checked by struct
 * cw_tcp_memory and struct cw_tcp_gets, as an adapter checks RDMA.
 *
 * The rules of causeway_parse.h hold for all of these functions. The caller serialises the uses of
 * one struct.
 */
#ifndef CAUSEWAY_TCP_H
#define CAUSEWAY_TCP_H

#include "causeway_setup.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_WIRE_TCP_SETUP_MIN 8 /* bytes of a REQUEST of any version: magic and versions */
#define CW_WIRE_TCP_SETUP_MAX 256
#define CW_WIRE_TCP_DATA_MAX 131072 /* bytes of one PUT, GET or GOT */
#define CW_WIRE_TCP_DATA_UNIT 512 /* these bytes are a multiple of it */
#define CW_WIRE_TCP_GETS 64 /* most unanswered GETs of a link */

enum cw_wire_tcp_kind {
	CW_TCP_REQUEST = 1, /* client, first: struct cw_wire_req */
	CW_TCP_ACCEPTANCE = 2, /* server, first: struct cw_wire_rep */
	CW_TCP_REJECTION = 3, /* server, first and last: struct cw_wire_rej */
	CW_TCP_MESSAGE = 4, /* both: the bytes of a SEND */
	CW_TCP_PUT = 5, /* server, data link: data of a read */
	CW_TCP_GET = 6, /* server, data link: asks for data of a write; no bytes follow */
	CW_TCP_GOT = 7, /* client, data link: answers the oldest GET */
};

/* The header of a frame. All versions of the protocol have the same one. */
struct cw_wire_tcp {
	__u8 kind; /* enum cw_wire_tcp_kind */
	__u8 reserved0[3];
	__le32 len; /* bytes behind the header; GET: bytes that the server asks for */
	__le32 sequence; /* frames sent before this one on this connection, modulo 2^32 */
	__le32 rkey; /* PUT, GET, GOT: memory of the client; otherwise 0 */
	__le64 addr; /* PUT, GET, GOT; otherwise 0 */
	__le32 data_crc; /* CRC32C of the bytes behind the header; PUT, GET, GOT: 0 */
	__le32 crc; /* CRC32C of the header up to here */
};

CW_WIRE_SIZE(struct cw_wire_tcp, 32);
CW_WIRE_AT(struct cw_wire_tcp, len, 4);
CW_WIRE_AT(struct cw_wire_tcp, sequence, 8);
CW_WIRE_AT(struct cw_wire_tcp, rkey, 12);
CW_WIRE_AT(struct cw_wire_tcp, addr, 16);
CW_WIRE_AT(struct cw_wire_tcp, data_crc, 24);
CW_WIRE_AT(struct cw_wire_tcp, crc, 28);

/* Returns the CRC32C (RFC 3720, section 12.1) of bytes. */
typedef u32 (*cw_tcp_crc_fn)(const void *data, size_t len);

struct cw_tcp_frame {
	u8 kind; /* enum cw_wire_tcp_kind */
	u32 len;
	u32 rkey;
	u64 addr;
	u32 data_crc;
};

/**
 * cw_pack_tcp() - packs the header of a frame
 * @rec: set
 * @frame: the frame
 * @sequence: number of frames sent before on the connection, modulo 2^32
 * @crc32c: the checksum function
 *
 * Context: Any context.
 */
void cw_pack_tcp(struct cw_wire_tcp *rec, const struct cw_tcp_frame *frame, u32 sequence,
		 cw_tcp_crc_fn crc32c);

/**
 * cw_parse_tcp_req() - parses the bytes of a REQUEST
 * @data: bytes behind the header
 * @len: len of the header
 * @out: set on success
 *
 * Context: Any context.
 * Return: as cw_parse_req(). A request that names another transport is malformed, and so is one
 * that is longer than the struct, unless its client speaks later versions too.
 */
int cw_parse_tcp_req(const void *data, size_t len, struct cw_req *out);

/**
 * cw_parse_tcp_rep() - parses the bytes of an ACCEPTANCE
 * @data: bytes behind the header
 * @len: len of the header
 * @req: the request that it answers
 * @out: set on success
 *
 * Context: Any context.
 * Return: as cw_parse_rep(). An acceptance that names another transport, kind or index than the
 * request is malformed.
 */
int cw_parse_tcp_rep(const void *data, size_t len, const struct cw_req *req, struct cw_rep *out);

/* ---- the stream of frames that arrives ---- */

/* Zeroed before the first byte, apart from @to_server; the client also sets @link and @area. */
struct cw_tcp_stream {
	bool to_server; /* the client is the sender */
	u8 link; /* enum cw_wire_kind; the server sets it after it has read the REQUEST */
	u32 area; /* bytes of the data area of a receive; set with @link */
	bool opened; /* REQUEST or ACCEPTANCE has arrived */
	bool closed; /* REJECTION has arrived, or a malformed header: no frame follows */
	u32 sequence; /* of the next header */
	u32 have; /* bytes of the header that have arrived */
	u8 header[sizeof(struct cw_wire_tcp)];
	struct cw_tcp_frame frame; /* once the header has arrived */
	u32 left; /* bytes behind the header that have not arrived */
};

/**
 * cw_tcp_in_frame() - checks whether the header of a frame has arrived
 * @stream: stream
 *
 * Context: Any context.
 * Return: true if it has, and cw_tcp_end_frame() was not called since.
 */
static inline bool cw_tcp_in_frame(const struct cw_tcp_stream *stream)
{
	return stream->have == sizeof(stream->header);
}

/**
 * cw_tcp_take_header() - takes bytes of a header
 * @stream: stream that is in no frame. With the last byte of the header, its frame and left are
 *   set, and it is in that frame.
 * @data: bytes that arrived
 * @len: their number
 * @crc32c: the checksum function
 *
 * Context: Any context.
 * Return: the number of bytes taken, or -EPROTO if the header is malformed, if the stream is in a
 * frame, or after an earlier error.
 */
int cw_tcp_take_header(struct cw_tcp_stream *stream, const void *data, size_t len,
		       cw_tcp_crc_fn crc32c);

/**
 * cw_tcp_end_frame() - ends a frame, so that the next header can come
 * @stream: stream in a frame of which no byte is left
 *
 * Context: Any context.
 */
static inline void cw_tcp_end_frame(struct cw_tcp_stream *stream)
{
	stream->have = 0;
}

/* ---- memory that the client offers ---- */

/* The memory of one BULK command. */
struct cw_tcp_memory {
	u32 rkey; /* 0: not offered */
	bool to_peer; /* true: the server may GET (a write); false: it may PUT (a read) */
	u64 addr;
	u32 len;
	u32 moved; /* bytes from the start that a PUT or GET has named */
	u32 answered; /* of them, those whose GOT was given to TCP as a whole */
};

/**
 * cw_tcp_move() - checks a PUT or GET against the memory that it names
 * @memory: memory that was found by the rkey of the frame
 * @frame: PUT or GET
 * @offset: set to the place of the data in the memory, on success
 *
 * Context: Any context.
 * Return: 0, and then the part counts as moved; -EPROTO if the memory is not offered for this kind,
 * or if the part does not begin where the last one ended, or goes beyond the end.
 */
int cw_tcp_move(struct cw_tcp_memory *memory, const struct cw_tcp_frame *frame, u32 *offset);

/**
 * cw_tcp_may_complete() - checks whether the server may end the command of a memory
 * @memory: memory that is offered
 * @succeeded: the completion reports success
 *
 * Context: Any context.
 * Return: false if a GET of the command is unanswered, also while its GOT is being sent; or if the
 * command succeeded and not all data was moved.
 */
bool cw_tcp_may_complete(const struct cw_tcp_memory *memory, bool succeeded);

/**
 * cw_tcp_rkey() - makes the rkey of a slot
 * @slot: slot of the command
 * @turn: rkeys made for this slot before; incremented
 *
 * Context: Any context.
 * Return: the rkey, which is not zero. The same rkey comes back after 65534 others of the slot.
 */
u32 cw_tcp_rkey(u16 slot, u16 *turn);

/**
 * cw_tcp_rkey_slot() - returns the slot for which an rkey was made
 * @rkey: rkey, of any origin
 *
 * Context: Any context.
 * Return: the slot, which may be above the depth of the link.
 */
static inline u16 cw_tcp_rkey_slot(u32 rkey)
{
	return (u16)rkey;
}

/* ---- GETs without an answer ---- */

/*
 * The unanswered GETs of a link, the oldest first, at either end. At the server, a GET is
 * unanswered until all of its GOT has arrived; at the client, until the client begins to give its
 * GOT to TCP.
 * So whenever the server has room for one more GET, the client has room too. Zeroed at first.
 */
struct cw_tcp_gets {
	u32 first, count;
	struct cw_tcp_frame of[CW_WIRE_TCP_GETS];
};

/**
 * cw_tcp_gets_add() - adds a GET
 * @gets: unanswered GETs of the link
 * @get: GET that arrived, or that the server is about to send
 *
 * Context: Any context.
 * Return: 0, or -EPROTO if there are CW_WIRE_TCP_GETS already.
 */
int cw_tcp_gets_add(struct cw_tcp_gets *gets, const struct cw_tcp_frame *get);

/**
 * cw_tcp_gets_oldest() - returns the GET that has to be answered next
 * @gets: unanswered GETs of the link
 *
 * Context: Any context.
 * Return: the GET, valid until it is answered, or NULL if there is none.
 */
static inline const struct cw_tcp_frame *cw_tcp_gets_oldest(const struct cw_tcp_gets *gets)
{
	return gets->count ? &gets->of[gets->first] : NULL;
}

/**
 * cw_tcp_gets_match() - checks that a GOT answers the oldest GET
 * @gets: unanswered GETs of the link
 * @got: GOT
 *
 * Context: Any context.
 * Return: 0, or -EPROTO if it does not.
 */
int cw_tcp_gets_match(const struct cw_tcp_gets *gets, const struct cw_tcp_frame *got);

/**
 * cw_tcp_gets_answer() - removes the oldest GET
 * @gets: unanswered GETs of the link
 * @got: its answer, which the client is about to give to TCP, or all of which has arrived at the
 *   server
 *
 * Context: Any context.
 * Return: 0, or -EPROTO if @got does not answer the oldest GET.
 */
int cw_tcp_gets_answer(struct cw_tcp_gets *gets, const struct cw_tcp_frame *got);

#ifdef __cplusplus
}
#endif

#endif
