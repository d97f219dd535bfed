/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * Parsers of all messages that a peer sends: from bytes to a host-order struct or -errno. The pack
 * functions do the opposite.
 *
 * Pure functions: no allocation, no global state, any context. They compile unchanged in the kernel
 * and in user space, where they are unit-tested and fuzzed. Accepted messages obey docs/PROTOCOL.md
 * in everything that depends on the message alone. -EPROTO means malformed: the link must end.
 * Other results are named at the functions. Inputs may be unaligned and are not referenced
 * afterwards.
 */
#ifndef CAUSEWAY_PARSE_H
#define CAUSEWAY_PARSE_H

#include "causeway_control.h"

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/types.h>
#else
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- connection set-up ---- */

/* A range of versions; neither is 0. */
struct cw_versions {
	u16 min, max;
};

/**
 * cw_parse_versions() - reads the range of versions in a request of any version
 * @data: private data of the request
 * @len: its bytes; may exceed the struct, because the connection manager pads it
 * @out: set on success
 *
 * Return: 0; -EPROTO: not a request.
 */
int cw_parse_versions(const void *data, size_t len, struct cw_versions *out);

struct cw_req {
	u16 version; /* the highest common version */
	u8 kind;
	u16 index;
	u32 number;
	u8 token[CW_WIRE_TOKEN];
};

/**
 * cw_parse_req() - parses a connection request
 * @data: private data of the request
 * @len: its bytes; may exceed the struct, because the connection manager pads it
 * @out: set on success
 *
 * Return: 0; -EPROTO: not a request, or a field is wrong; -EPROTONOSUPPORT: a request without a
 * common version, whose later fields are not checked.
 */
int cw_parse_req(const void *data, size_t len, struct cw_req *out);

struct cw_rep {
	u16 version;
	u8 kind;
	u16 index;
	u8 nonce[CW_WIRE_NONCE]; /* control links only */
};

int cw_parse_rep(const void *data, size_t len, struct cw_rep *out);

struct cw_rej {
	u16 version_min, version_max;
	u16 reason; /* enum cw_wire_refusal, never CW_REFUSED_NONE */
};

int cw_parse_rej(const void *data, size_t len, struct cw_rej *out);

/* ---- messages ---- */

struct cw_frame {
	u8 type;
	bool bare; /* only data, without records and tail */
	u16 count; /* number of records */
	u16 record; /* bytes of one record; 0: the type has none */
	u32 data_len; /* bytes of data at the start of the message */
	u32 ordinal;
	u32 credit; /* data links: credited messages whose receive is posted again */
	u32 trailer_len; /* bytes behind the data: records and tail */
};

/**
 * cw_parse_tail() - parses the tail of a message
 * @tail: the last bytes of the message
 * @len: bytes of the message
 * @area: bytes of the data area of its receive
 * @kind: enum cw_wire_kind of the link
 * @to_server: true if the client sent the message
 * @out: set on success
 *
 * Accepts the types that this kind of link carries in this direction.
 * Return: 0 or -EPROTO.
 */
int cw_parse_tail(const struct cw_wire_tail *tail, size_t len, u32 area, u8 kind,
		  bool to_server, struct cw_frame *out);

struct cw_limits {
	u16 depth;
	u32 inline_size;
	u32 max_io;
	u16 export_id;
	u64 features;
	u16 discard_ranges; /* 0: cw_parse_cmd() does not compare, cw_check_cmd() does */
};

/* Number of slots of a link: those that the client chooses, then those of bare writes. */
static inline u32 cw_slots(const struct cw_limits *lim)
{
	return lim->features & CW_FEATURE_BARE ? 2 * lim->depth : lim->depth;
}

struct cw_cmd {
	u8 op;
	u8 flags;
	u16 slot;
	u32 len;
	u64 offset;
	u32 data_off;
	u32 data_len;
	u32 rkey;
	u32 crc;
	u64 addr;
};

/**
 * cw_parse_cmd() - parses one record of a COMMANDS message
 * @rec: the record
 * @frame: from cw_parse_tail()
 * @lim: limits of the link
 * @out: set on success
 *
 * Return: 0 or -EPROTO.
 */
int cw_parse_cmd(const struct cw_wire_cmd *rec, const struct cw_frame *frame,
		 const struct cw_limits *lim, struct cw_cmd *out);

struct cw_range {
	u64 offset;
	u64 len;
};

/**
 * cw_parse_range() - parses one range of a discard: not empty, and without wrap
 * @rec: the record
 * @out: set on success
 *
 * Return: 0 or -EPROTO.
 */
int cw_parse_range(const struct cw_wire_range *rec, struct cw_range *out);

struct cw_done {
	u16 slot;
	u8 status;
	u8 flags;
	u32 data_off;
	u32 data_len;
	u32 crc;
};

int cw_parse_done(const struct cw_wire_done *rec, const struct cw_frame *frame,
		  const struct cw_limits *lim, struct cw_done *out);

/**
 * cw_parse_bare_write() - makes a frame and a record of a bare write
 * @imm: the immediate data, in host order
 * @len: bytes of the message
 * @ordinal: the receiver's count of messages
 * @credited: the newest credit that the receiver got
 * @lim: of the link
 * @frame: set on success
 * @rec: set to the record of the trailer form, for cw_parse_cmd()
 *
 * cw_parse_bare_read() does the same for the completion of a read, for cw_parse_done().
 * Return: 0 or -EPROTO.
 */
int cw_parse_bare_write(u32 imm, size_t len, u32 ordinal, u32 credited,
			const struct cw_limits *lim, struct cw_frame *frame,
			struct cw_wire_cmd *rec);
int cw_parse_bare_read(u32 imm, size_t len, u32 ordinal, u32 credited,
		       const struct cw_limits *lim, struct cw_frame *frame,
		       struct cw_wire_done *rec);

struct cw_geometry {
	u64 size;
	u32 logical_block, physical_block, io_min, io_opt;
	u32 discard_max, discard_granularity, zeroes_max;
	u16 discard_ranges;
	u16 flags;
};

/**
 * cw_check_cmd() - checks a command against the geometry of the disk
 * @cmd: the parsed command
 * @geo: the geometry
 *
 * The server calls it before it uses a backend, and cw_check_range() for each range of a discard.
 * Return: 0; -ERANGE: outside of the disk, above a limit, or not on block boundaries; -EROFS;
 *   -EOPNOTSUPP.
 */
int cw_check_cmd(const struct cw_cmd *cmd, const struct cw_geometry *geo);
int cw_check_range(const struct cw_range *range, const struct cw_geometry *geo);

/* ---- control messages: @data points to @len bytes, the data area of the message ---- */

struct cw_hello {
	u16 flags;
	u64 features_offered, features_required;
	u8 host[CW_WIRE_UUID], boot[CW_WIRE_UUID], session[CW_WIRE_UUID];
	u64 epoch, serial;
	u64 last, generation; /* with CW_HELLO_RETURNING; otherwise 0 */
	u8 receipt[CW_WIRE_RECEIPT]; /* with CW_HELLO_RETURNING; otherwise zero */
	u8 nonce[CW_WIRE_NONCE];
	char export_name[CW_WIRE_NAME]; /* NUL-terminated, a valid name */
	char host_name[CW_WIRE_NAME]; /* NUL-terminated, printable ASCII */
	u16 queues, depth;
	u32 inline_size, max_io;
	u16 area, messages;
	u8 path;
};

/**
 * cw_parse_hello() - parses HELLO
 * @data: the data area of the message
 * @len: its bytes
 * @out: set on success
 *
 * Wishes are reduced to the protocol's maxima.
 * Return: 0; -EPROTONOSUPPORT: another version; -EPROTO.
 */
int cw_parse_hello(const void *data, size_t len, struct cw_hello *out);

struct cw_challenge {
	u16 flags;
	u64 features;
	u8 instance[CW_WIRE_UUID];
	u8 nonce[CW_WIRE_NONCE];
};

/**
 * cw_parse_challenge() - parses CHALLENGE
 * @data: the data area of the message
 * @len: its bytes
 * @offered: features of HELLO
 * @required: features of HELLO
 * @out: set on success
 *
 * Return: 0; -EPROTONOSUPPORT: another version; -EPROTO.
 */
int cw_parse_challenge(const void *data, size_t len, u64 offered, u64 required,
		       struct cw_challenge *out);

int cw_parse_proof(const void *data, size_t len, u8 mac[CW_WIRE_MAC]);

struct cw_welcome {
	u8 mac[CW_WIRE_MAC];
	u32 number;
	u16 queues, depth, export_id, area, messages;
	u32 inline_size, max_io, probe_ms, dead_ms;
	u64 generation;
	u8 receipt[CW_WIRE_RECEIPT];
	u8 identity[CW_WIRE_UUID];
	struct cw_geometry geo;
};

/**
 * cw_parse_welcome() - parses WELCOME
 * @data: the data area of the message
 * @len: its bytes
 * @wish: HELLO as sent; grants above it are malformed
 * @out: set on success
 *
 * Return: 0 or -EPROTO.
 */
int cw_parse_welcome(const void *data, size_t len, const struct cw_hello *wish,
		     struct cw_welcome *out);

struct cw_refused {
	u8 mac[CW_WIRE_MAC];
	u16 reason;
	u64 epoch; /* CW_REFUSED_STALE because of the epoch: the newest one; otherwise 0 */
	u8 identity[CW_WIRE_UUID]; /* zero before PROOF, and when no disk is named */
	char text[CW_WIRE_TEXT]; /* NUL-terminated, printable ASCII */
};

int cw_parse_refused(const void *data, size_t len, struct cw_refused *out);

struct cw_waiting {
	u16 reason; /* enum cw_wire_waiting_reason */
	u8 path; /* CW_WAITING_COMMANDS of a FENCE: its path; otherwise 0 */
	u32 commands; /* CW_WAITING_COMMANDS: commands that are left */
};

/**
 * cw_parse_waiting() - reads WAITING
 * @data: the struct as it arrived
 * @len: bytes at @data
 * @of_fence: WAITING came after WELCOME or JOINED, and so is about a FENCE; otherwise it is about a
 *   login or JOIN, and its path is 0
 * @out: the values; unchanged after an error
 *
 * Return: 0 or -EPROTO.
 */
int cw_parse_waiting(const void *data, size_t len, bool of_fence, struct cw_waiting *out);

struct cw_join {
	u8 mac[CW_WIRE_MAC];
	u8 path;
	u64 features; /* offered */
	u8 host[CW_WIRE_UUID], boot[CW_WIRE_UUID], session[CW_WIRE_UUID];
	u64 epoch;
	u8 nonce[CW_WIRE_NONCE];
	u16 queues, depth;
	u32 inline_size, max_io;
	u16 area, messages;
};

/**
 * cw_parse_join() - parses JOIN
 * @data: the data area of the message
 * @len: its bytes
 * @out: set on success
 *
 * Wishes are reduced to the protocol's maxima.
 * Return: 0; -EPROTONOSUPPORT: another version; -EPROTO.
 */
int cw_parse_join(const void *data, size_t len, struct cw_join *out);

struct cw_joined {
	u8 mac[CW_WIRE_MAC];
	u32 number;
	u16 queues, depth, export_id, area, messages;
	u32 inline_size, max_io, probe_ms, dead_ms;
	u8 path;
	u64 features, epoch;
	u8 instance[CW_WIRE_UUID];
};

/**
 * cw_parse_joined() - parses JOINED
 * @data: the data area of the message
 * @len: its bytes
 * @wish: JOIN as sent
 * @chosen: features of the login; PATHS and CRC must be the same
 * @out: set on success
 *
 * Grants above @wish, another path or epoch, and features that it did not offer are malformed.
 * Return: 0 or -EPROTO.
 */
int cw_parse_joined(const void *data, size_t len, const struct cw_join *wish, u64 chosen,
		    struct cw_joined *out);

struct cw_incarnation {
	u8 path;
	u64 tag; /* FENCE that announces a JOIN: cw_join_tag() of its nonce; otherwise 0 */
	u64 epoch;
};

int cw_parse_fence(const void *data, size_t len, struct cw_incarnation *out);

/* Parses FENCED and PATH_BYE. */
int cw_parse_incarnation(const void *data, size_t len, struct cw_incarnation *out);

/**
 * cw_join_tag() - the part of a JOIN's nonce by which a FENCE announces this JOIN
 * @nonce: CW_WIRE_NONCE bytes
 *
 * Return: a number of CW_WIRE_JOIN_TAG bytes; not 0 for the nonce of a JOIN.
 */
u64 cw_join_tag(const u8 *nonce);

/* Parses PROBE and ALIVE of a control link. */
int cw_parse_probe(const void *data, size_t len, u64 *cookie);

struct cw_discover {
	u32 first;
};

int cw_parse_discover(const void *data, size_t len, struct cw_discover *out);

struct cw_export_info {
	char name[CW_WIRE_NAME];
	u8 identity[CW_WIRE_UUID];
	u64 size;
	u32 logical_block;
	u16 flags;
	u16 more;
};

/**
 * cw_parse_export() - parses one record of an EXPORTS message
 * @data: the data area of the message
 * @len: its bytes
 * @i: index of the record
 * @out: set on success
 *
 * Return: 0; -ENOENT: there are fewer records; -EPROTO.
 */
int cw_parse_export(const void *data, size_t len, size_t i, struct cw_export_info *out);

struct cw_notice {
	u16 kind;
	u16 flags;
	u32 sequence; /* not 0 */
	struct cw_geometry geo;
};

int cw_parse_notice(const void *data, size_t len, struct cw_notice *out);

/* Parses a geometry alone: block sizes, size and limits must be possible for a disk. */
int cw_parse_geometry(const struct cw_wire_geometry *rec, struct cw_geometry *out);

/* ---- the other direction: messages to send, from host order ---- */

void cw_pack_tail(struct cw_wire_tail *tail, u8 type, u16 count, u32 data_len, u32 ordinal,
		  u32 credit);
void cw_pack_cmd(struct cw_wire_cmd *rec, const struct cw_cmd *cmd, u16 export_id);
void cw_pack_done(struct cw_wire_done *rec, const struct cw_done *done);

/**
 * cw_bare_write() - true if a message of one command can be sent bare
 * @rec: the only record of the message
 * @imm: set to the immediate data
 */
bool cw_bare_write(const struct cw_wire_cmd *rec, u32 *imm);
/**
 * cw_bare_read() - true if a message of one completion can be sent bare
 * @rec: the only record of the message
 * @credit: the credit to return
 * @imm: set to the immediate data
 */
bool cw_bare_read(const struct cw_wire_done *rec, u32 credit, u32 *imm);
/* The slot of a bare write: above the slots that the client chooses. */
static inline u16 cw_bare_slot(u32 ordinal, u16 depth)
{
	return depth + ordinal % depth;
}

void cw_pack_hello(struct cw_wire_hello *rec, const struct cw_hello *hello);
void cw_pack_challenge(struct cw_wire_challenge *rec, const struct cw_challenge *challenge);
void cw_pack_welcome(struct cw_wire_welcome *rec, const struct cw_welcome *welcome);
void cw_pack_refused(struct cw_wire_refused *rec, const struct cw_refused *refused);
void cw_pack_waiting(struct cw_wire_waiting *rec, const struct cw_waiting *waiting);
void cw_pack_join(struct cw_wire_join *rec, const struct cw_join *join);
void cw_pack_joined(struct cw_wire_joined *rec, const struct cw_joined *joined);
void cw_pack_incarnation(struct cw_wire_incarnation *rec, const struct cw_incarnation *which);
void cw_pack_probe(struct cw_wire_probe *rec, u64 cookie);
void cw_pack_export(struct cw_wire_export *rec, const struct cw_export_info *info);
void cw_pack_notice(struct cw_wire_notice *rec, const struct cw_notice *notice);
void cw_pack_geometry(struct cw_wire_geometry *rec, const struct cw_geometry *geo);
void cw_pack_req(struct cw_wire_req *rec, const struct cw_req *req);
void cw_pack_rep(struct cw_wire_rep *rec, const struct cw_rep *rep);
void cw_pack_rej(struct cw_wire_rej *rec, u16 reason);

/**
 * cw_valid_name() - whether a string is a name of an export
 * @name: the string
 * @size: bytes of its buffer
 *
 * A name has 1 to 63 letters, digits, '.', '_', '-', ':', and does not begin with '.' or '-'.
 */
bool cw_valid_name(const char *name, size_t size);

/* True if @key can be a pre-shared key: 16 to 64 bytes that are not all zero. */
bool cw_valid_key(const u8 *key, size_t len);

#ifdef __cplusplus
}
#endif

#endif
