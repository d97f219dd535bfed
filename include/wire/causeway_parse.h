/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * Checks of everything a peer sends: bytes in, host-order struct or -errno out.
 *
 * Pure functions: no allocation, no global state, any context. They compile unchanged in the kernel
 * and in user space, where they are unit-tested and fuzzed. What they accept obeys
 * docs/PROTOCOL.md in all that depends on the message alone; -EPROTO means malformed (the link
 * must end), other codes are named where they occur. Inputs may be unaligned and are not kept.
 */
#ifndef CAUSEWAY_PARSE_H
#define CAUSEWAY_PARSE_H

#include "causeway_wire.h"

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

/* A range of versions, neither of them 0. */
struct cw_versions {
	u16 min, max;
};

/* The range of versions in a request of any version. -EPROTO: no request. @len as below. */
int cw_parse_versions(const void *data, size_t len, struct cw_versions *out);

struct cw_req {
	u16 version; /* highest in common */
	u8 kind;
	u16 index;
	u32 number;
	u8 token[CW_WIRE_TOKEN];
};

/*
 * -EPROTO; -EPROTONOSUPPORT: no version in common, which is judged before all else. @len may exceed
 * the struct (CM pads).
 */
int cw_parse_req(const void *data, size_t len, struct cw_req *out);

struct cw_rep {
	u16 version;
	u8 kind;
	u16 index;
	u8 nonce[CW_WIRE_NONCE]; /* control */
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
	bool bare; /* nothing but data */
	u16 count; /* records */
	u16 record; /* bytes of one record, 0 for types without */
	u32 data_len; /* bytes of data at the start of the message */
	u32 ordinal;
	u32 credit; /* data links: messages with records that the sender can take again */
	u32 trailer_len; /* bytes behind the data: records and tail */
};

/*
 * The tail of a message of @len bytes in a receive with a data area of @area bytes. Accepts
 * the types that @kind of link may carry towards the server (@to_server) or the client.
 */
int cw_parse_tail(const struct cw_wire_tail *tail, size_t len, u32 area, u8 kind,
		  bool to_server, struct cw_frame *out);

struct cw_limits {
	u16 depth;
	u32 inline_size;
	u32 max_io;
	u16 export_id;
	u64 features;
	u16 discard_ranges;
};

/* Slots of a link: those that the client gives, then those of bare writes. */
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

/* One record of a COMMANDS message whose tail was accepted as @frame. */
int cw_parse_cmd(const struct cw_wire_cmd *rec, const struct cw_frame *frame,
		 const struct cw_limits *lim, struct cw_cmd *out);

struct cw_range {
	u64 offset;
	u64 len;
};

/* One range of a discard: not empty, no overflow of offset + len. */
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

/*
 * A bare message of @len bytes, with @imm beside it: its frame, and the record that the trailer
 * form would have had, which goes to cw_parse_cmd() or cw_parse_done(). @ordinal: the receiver's
 * count of messages. @credited: the newest credit that the receiver got.
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

/*
 * Whether a geometry fits what was negotiated: 0, -ERANGE (a command lies outside, or not on block
 * boundaries), -EROFS, -EOPNOTSUPP. The server asks before it touches a backend.
 */
int cw_check_cmd(const struct cw_cmd *cmd, const struct cw_geometry *geo);
int cw_check_range(const struct cw_range *range, const struct cw_geometry *geo);

/* ---- control messages: @data points to @len bytes, the data area of the message ---- */

struct cw_hello {
	u16 flags;
	u64 features_offered, features_required;
	u8 host[CW_WIRE_UUID], boot[CW_WIRE_UUID], session[CW_WIRE_UUID];
	u64 epoch, serial;
	u64 last, generation; /* CW_HELLO_RETURNING; otherwise 0 */
	u8 receipt[CW_WIRE_RECEIPT]; /* likewise */
	u8 nonce[CW_WIRE_NONCE];
	char export_name[CW_WIRE_NAME]; /* NUL-terminated, a valid name */
	char host_name[CW_WIRE_NAME]; /* NUL-terminated, printable ASCII */
	u16 queues, depth;
	u32 inline_size, max_io;
	u16 area, messages;
	u8 path;
};

/* -EPROTONOSUPPORT: another version. Wishes are clamped to the protocol's maxima. */
int cw_parse_hello(const void *data, size_t len, struct cw_hello *out);

struct cw_challenge {
	u16 flags;
	u64 features;
	u8 instance[CW_WIRE_UUID];
	u8 nonce[CW_WIRE_NONCE];
};

/* -EPROTONOSUPPORT as above. @offered, @required: features of the hello. */
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

/* @wish: the hello as sent; grants above it are malformed. */
int cw_parse_welcome(const void *data, size_t len, const struct cw_hello *wish,
		     struct cw_welcome *out);

struct cw_refused {
	u8 mac[CW_WIRE_MAC];
	u16 reason;
	u64 epoch; /* CW_REFUSED_STALE with an identity; otherwise 0 */
	u8 identity[CW_WIRE_UUID]; /* zero before PROOF */
	char text[CW_WIRE_TEXT]; /* NUL-terminated, printable ASCII */
};

int cw_parse_refused(const void *data, size_t len, struct cw_refused *out);

struct cw_waiting {
	u16 reason; /* enum cw_wire_waiting_reason */
	u32 commands; /* CW_WAITING_COMMANDS */
};

int cw_parse_waiting(const void *data, size_t len, struct cw_waiting *out);

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

/* -EPROTONOSUPPORT and wishes as for the hello. */
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

/*
 * @wish: the join as sent; grants above it, another path or epoch, and features that it did not
 * offer are malformed. @chosen: the features of the login, of which PATHS and CRC must be the same.
 */
int cw_parse_joined(const void *data, size_t len, const struct cw_join *wish, u64 chosen,
		    struct cw_joined *out);

struct cw_incarnation {
	u8 path;
	u64 epoch;
};

/* FENCE, FENCED and PATH_BYE. */
int cw_parse_incarnation(const void *data, size_t len, struct cw_incarnation *out);

/* PROBE and ALIVE of a control link. */
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

/* Record @i of an EXPORTS message; -ENOENT past the last. */
int cw_parse_export(const void *data, size_t len, size_t i, struct cw_export_info *out);

struct cw_notice {
	u16 kind;
	u16 flags;
	u32 sequence; /* not 0 */
	struct cw_geometry geo;
};

int cw_parse_notice(const void *data, size_t len, struct cw_notice *out);

/* A geometry alone: block sizes, size and limits that a disk can have. */
int cw_parse_geometry(const struct cw_wire_geometry *rec, struct cw_geometry *out);

/* ---- the other direction: what we send, from host order ---- */

void cw_pack_tail(struct cw_wire_tail *tail, u8 type, u16 count, u32 data_len, u32 ordinal,
		  u32 credit);
void cw_pack_cmd(struct cw_wire_cmd *rec, const struct cw_cmd *cmd, u16 export_id);
void cw_pack_done(struct cw_wire_done *rec, const struct cw_done *done);

/* Whether a message of this record alone, with its data, can go bare, and what goes beside it. */
bool cw_bare_write(const struct cw_wire_cmd *rec, u32 *imm);
bool cw_bare_read(const struct cw_wire_done *rec, u32 credit, u32 *imm);
/* The slot of a bare write: above those that the client gives. */
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

/*
 * A name of an export: 1 to 63 of letters, digits, '.', '_', '-', ':', not starting with '.' or
 * '-'.
 */
bool cw_valid_name(const char *name, size_t size);

/* A pre-shared key: 16 to 64 bytes that are not all zero. */
bool cw_valid_key(const u8 *key, size_t len);

/* ---- the order of messages on a control link (section 3, rules 14 to 16) ---- */

/*
 * The types sent on a control link so far: bit n for type n. Each end fills in one half when it
 * sends, and the other one when it receives. All zero before the first message.
 */
struct cw_order {
	u32 from_client, from_server;
	u32 asked; /* DISCOVER and ... */
	u32 told; /* ... EXPORTS that were sent, modulo 2^32 */
};

/* Notes that one end sent or received a message of this type. */
void cw_order_note(struct cw_order *order, u8 type, bool from_client);
/* True: the client, or the server, may send this type next. */
bool cw_order_allows(const struct cw_order *order, u8 type, bool from_client);

#ifdef __cplusplus
}
#endif

#endif
