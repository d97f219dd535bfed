/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The Causeway disk protocol, version 1: everything that crosses the wire.
 *
 * docs/PROTOCOL.md is the normative text; this header is the same thing in C. All numbers are
 * little-endian, all structs have a fixed size and no hidden padding, reserved fields are sent as
 * zero and refused when they are not. The file compiles as C and as C++, in kernel and user space.
 */
#ifndef CAUSEWAY_WIRE_H
#define CAUSEWAY_WIRE_H

#include <linux/types.h>

#ifdef __cplusplus
#define CW_WIRE_ASSERT(cond, text) static_assert(cond, text)
#else
#define CW_WIRE_ASSERT(cond, text) _Static_assert(cond, text)
#endif
#define CW_WIRE_SIZE(type, size) CW_WIRE_ASSERT(sizeof(type) == (size), #type " has the wrong size")

#define CW_WIRE_MAGIC 0x59575343U /* "CSWY" as it lies on the wire */
#define CW_WIRE_VERSION 1
#define CW_WIRE_PORT 4793

#define CW_WIRE_PAGE 4096 /* unit of inline data areas */
#define CW_WIRE_TRAILER 1024 /* bytes that a receive holds beyond its data area */
#define CW_WIRE_RECORDS 64 /* most records in one message */
#define CW_WIRE_INLINE_MAX 16384
#define CW_WIRE_AREA_MAX 64 /* pages of data in one message */
#define CW_WIRE_MESSAGES_MIN 4
#define CW_WIRE_MESSAGES_MAX 64
#define CW_WIRE_DEPTH_MAX 1024
#define CW_WIRE_QUEUES_MAX 256
#define CW_WIRE_IO_MAX (16U << 20)
#define CW_WIRE_NAME 64 /* bytes of an export's name, zero-padded, at most 63 used */
#define CW_WIRE_TEXT 128 /* bytes of a text meant for people, zero-padded */
#define CW_WIRE_DEAD_MAX 600000 /* ms; longest silence that a server may ask a client to bear */
#define CW_WIRE_UUID 16
#define CW_WIRE_NONCE 32
#define CW_WIRE_MAC 32
#define CW_WIRE_TOKEN 16

/* ---- connection set-up: private data of the connection manager ---- */

enum cw_wire_kind {
	CW_KIND_CONTROL = 1, /* login, notices, probes */
	CW_KIND_DATA = 2, /* commands and completions */
};

/* In the connection request. */
struct cw_wire_req {
	__le32 magic;
	__le16 version_min;
	__le16 version_max;
	__u8 kind;
	__u8 reserved0;
	__le16 index; /* data: which link of the session, from 0 */
	__le32 session; /* data: number from the welcome; control: 0 */
	__u8 token[CW_WIRE_TOKEN]; /* data: proof of the login; control: 0 */
	__u8 reserved1[8];
};

CW_WIRE_SIZE(struct cw_wire_req, 40);

/* In the acceptance. */
struct cw_wire_rep {
	__le32 magic;
	__le16 version;
	__u8 kind;
	__u8 reserved0;
	__le16 index;
	__le16 credits; /* data: messages the client may have outstanding */
	__u8 reserved1[4];
};

CW_WIRE_SIZE(struct cw_wire_rep, 16);

/* In the rejection. */
struct cw_wire_rej {
	__le32 magic;
	__le16 version_min;
	__le16 version_max;
	__le16 reason; /* enum cw_wire_refusal */
	__u8 reserved0[6];
};

CW_WIRE_SIZE(struct cw_wire_rej, 16);

enum cw_wire_refusal {
	CW_REFUSED_NONE = 0,
	CW_REFUSED_MALFORMED = 1, /* a message that breaks the protocol */
	CW_REFUSED_VERSION = 2, /* no version in common */
	CW_REFUSED_FEATURE = 3, /* a required feature is unknown */
	CW_REFUSED_EXPORT = 4, /* no export of that name */
	CW_REFUSED_ADDRESS = 5, /* the client's address is not on the allow list */
	CW_REFUSED_KEY = 6, /* the proof does not fit the key */
	CW_REFUSED_KEY_NEEDED = 7, /* the export has a key, the client offered none */
	CW_REFUSED_EXCLUSIVE = 8, /* another host has the export */
	CW_REFUSED_LIMIT = 9, /* a cap of the server is reached */
	CW_REFUSED_TOKEN = 10, /* a data link without a login behind it */
	CW_REFUSED_STOPPING = 11, /* the server is going down in order */
	CW_REFUSED_STALE = 12, /* a newer epoch of this session exists */
	CW_REFUSED_INTERNAL = 13, /* the server ran out of something */
};

/* ---- every message: data, then records, then this tail at its very end ---- */

enum cw_wire_type {
	CW_MSG_HELLO = 1, /* client: struct cw_wire_hello */
	CW_MSG_CHALLENGE = 2, /* server: struct cw_wire_challenge */
	CW_MSG_PROOF = 3, /* client: struct cw_wire_proof */
	CW_MSG_WELCOME = 4, /* server: struct cw_wire_welcome */
	CW_MSG_REFUSED = 5, /* server: struct cw_wire_refused */
	CW_MSG_DISCOVER = 6, /* client: struct cw_wire_discover */
	CW_MSG_EXPORTS = 7, /* server: struct cw_wire_export records */
	CW_MSG_PROBE = 8, /* either: nothing; asks for CW_MSG_ALIVE */
	CW_MSG_ALIVE = 9, /* either: nothing */
	CW_MSG_NOTICE = 10, /* server: struct cw_wire_notice */
	CW_MSG_GOODBYE = 11, /* client: nothing; the session ends in order */
	CW_MSG_COMMANDS = 16, /* client, data link: struct cw_wire_cmd records */
	CW_MSG_COMPLETIONS = 17, /* server, data link: struct cw_wire_done records */
};

struct cw_wire_tail {
	__u8 type; /* enum cw_wire_type */
	__u8 flags; /* 0 */
	__le16 count; /* records between data and tail */
	__le32 data_len; /* bytes of data at the start, a multiple of 16 */
	__le32 ordinal; /* messages sent before this one on this queue pair, modulo 2^32 */
	__le32 credit; /* data links: messages with records taken and done with; control: 0 */
};

CW_WIRE_SIZE(struct cw_wire_tail, 16);

/* ---- commands ---- */

enum cw_wire_op {
	CW_OP_READ = 1,
	CW_OP_WRITE = 2,
	CW_OP_FLUSH = 3,
	CW_OP_DISCARD = 4, /* ranges in the data; promises no zeroes */
	CW_OP_WRITE_ZEROES = 5,
};

enum cw_wire_cmd_flags {
	CW_CMD_FUA = 1 << 0, /* write, write-zeroes: on stable storage before the completion */
	CW_CMD_INLINE = 1 << 1, /* write, discard: data in this message; read: answer inline */
	CW_CMD_BULK = 1 << 2, /* read, write: rkey and addr name the client's memory */
	CW_CMD_NOUNMAP = 1 << 3, /* write-zeroes: keep the space allocated */
	CW_CMD_CRC = 1 << 4, /* crc holds the CRC32C of the data; feature CW_FEATURE_CRC */
};

struct cw_wire_cmd {
	__u8 op;
	__u8 flags;
	__le16 slot; /* the client's, below the depth of the link; echoed */
	__le32 len; /* bytes of the disk; discard, flush: 0 */
	__le64 offset; /* bytes; discard, flush: 0 */
	__le32 data_off; /* inline: where its data starts in this message */
	__le32 data_len; /* inline: bytes of its data in this message */
	__le32 rkey; /* bulk */
	__le32 crc;
	__le64 addr; /* bulk */
	__le16 export_id; /* from the welcome */
	__u8 reserved[6];
};

CW_WIRE_SIZE(struct cw_wire_cmd, 48);

/* One range of a discard, in the message's data. */
struct cw_wire_range {
	__le64 offset; /* bytes */
	__le64 len; /* bytes, not 0 */
};

CW_WIRE_SIZE(struct cw_wire_range, 16);

enum cw_wire_status {
	CW_STATUS_OK = 0,
	CW_STATUS_IO = 1, /* the backend failed */
	CW_STATUS_NOSPC = 2,
	CW_STATUS_READONLY = 3,
	CW_STATUS_RANGE = 4, /* beyond the end, or not on block boundaries */
	CW_STATUS_UNSUPPORTED = 5,
	CW_STATUS_MEDIUM = 6, /* unreadable sector */
	CW_STATUS_NOMEM = 7, /* the server is short of memory now: try again */
	CW_STATUS_GONE = 8, /* the export is being removed */
};

enum cw_wire_done_flags {
	CW_DONE_INLINE = 1 << 0, /* data_off and data_len say where the data lies */
	CW_DONE_CRC = 1 << 1,
};

struct cw_wire_done {
	__le16 slot;
	__u8 status; /* enum cw_wire_status */
	__u8 flags;
	__le32 data_off;
	__le32 data_len;
	__le32 crc;
};

CW_WIRE_SIZE(struct cw_wire_done, 16);

/* ---- control messages ---- */

enum cw_wire_feature {
	CW_FEATURE_BARE = 1 << 0, /* 4 KiB alone with immediate data */
	CW_FEATURE_CRC = 1 << 2, /* CRC32C of data */
	CW_FEATURE_FENCE = 1 << 3, /* several paths */
};

struct cw_wire_hello {
	__le32 magic;
	__le16 version; /* the one both ends named at connection set-up */
	__le16 flags; /* CW_HELLO_* */
	__le64 features_offered;
	__le64 features_required; /* subset of those offered */
	__u8 host[CW_WIRE_UUID]; /* the client machine, stable */
	__u8 boot[CW_WIRE_UUID]; /* this boot of it */
	__u8 session[CW_WIRE_UUID]; /* made at attach, kept across reconnects */
	__le64 epoch; /* grows with every connection of the session */
	__u8 nonce[CW_WIRE_NONCE];
	__u8 export_name[CW_WIRE_NAME];
	__u8 host_name[CW_WIRE_NAME]; /* for people */
	__le16 queues; /* data links wanted, at least 1 */
	__le16 depth; /* commands per data link wanted, at least 1 */
	__le32 inline_size; /* bytes of inline data of a command, multiple of CW_WIRE_PAGE or 0 */
	__le32 max_io; /* bytes of one command wanted */
	__le16 area; /* pages of data in a message that the client takes on a data link */
	__le16 messages; /* with records, that it takes without giving credit */
};

CW_WIRE_SIZE(struct cw_wire_hello, 256);

enum cw_wire_hello_flags {
	CW_HELLO_KEY = 1 << 0, /* the client has a key and demands that the server prove it too */
};

struct cw_wire_challenge {
	__le32 magic;
	__le16 version;
	__le16 flags; /* CW_CHALLENGE_* */
	__le64 features; /* chosen: subset of those offered */
	__u8 instance[CW_WIRE_UUID];
	__u8 nonce[CW_WIRE_NONCE];
};

CW_WIRE_SIZE(struct cw_wire_challenge, 64);

enum cw_wire_challenge_flags {
	CW_CHALLENGE_KEY = 1 << 0, /* the export has a key: MACs are made with it */
};

struct cw_wire_proof {
	__u8 mac[CW_WIRE_MAC]; /* zero where the export has no key */
};

CW_WIRE_SIZE(struct cw_wire_proof, 32);

enum cw_wire_export_flags {
	CW_EXPORT_READ_ONLY = 1 << 0,
	CW_EXPORT_VOLATILE = 1 << 1, /* has a cache that a flush empties */
	CW_EXPORT_FUA = 1 << 2,
	CW_EXPORT_DISCARD = 1 << 3,
	CW_EXPORT_WRITE_ZEROES = 1 << 4,
	CW_EXPORT_ROTATIONAL = 1 << 5,
	CW_EXPORT_EXCLUSIVE = 1 << 6,
	CW_EXPORT_KEY = 1 << 7, /* in discovery: a key is needed */
};

/* What a disk is: in the welcome and in notices. */
struct cw_wire_geometry {
	__le64 size; /* bytes, multiple of the logical block */
	__le32 logical_block; /* bytes, power of two, 512..4096 */
	__le32 physical_block; /* bytes, power of two, at least the logical block */
	__le32 io_min; /* bytes, 0 unknown */
	__le32 io_opt; /* bytes, 0 unknown */
	__le32 discard_max; /* bytes in one range, 0 no discard */
	__le32 discard_granularity; /* bytes */
	__le16 discard_ranges; /* ranges in one command */
	__le16 flags; /* enum cw_wire_export_flags */
	__le32 zeroes_max; /* bytes, 0 no write-zeroes */
};

CW_WIRE_SIZE(struct cw_wire_geometry, 40);

struct cw_wire_welcome {
	__u8 mac[CW_WIRE_MAC]; /* the server's proof; zero where the export has no key */
	__le32 session; /* not 0 */
	__le16 queues; /* data links granted */
	__le16 depth; /* commands per data link granted */
	__le32 inline_size;
	__le32 max_io;
	__le32 probe_ms; /* a link silent for so long is probed */
	__le32 dead_ms; /* and given up after so long, at most CW_WIRE_DEAD_MAX */
	__le16 export_id;
	__le16 area; /* pages of data in a message that the server takes on a data link */
	__le16 messages; /* with records, that it takes without giving credit */
	__u8 reserved[2];
	__u8 identity[CW_WIRE_UUID];
	struct cw_wire_geometry geometry;
};

CW_WIRE_SIZE(struct cw_wire_welcome, 32 + 32 + 16 + 40);

struct cw_wire_refused {
	__le16 reason; /* enum cw_wire_refusal */
	__u8 reserved[6];
	__le64 epoch; /* CW_REFUSED_STALE: the newest the server knows */
	__u8 text[CW_WIRE_TEXT];
};

CW_WIRE_SIZE(struct cw_wire_refused, 16 + 128);

struct cw_wire_discover {
	__le32 magic;
	__le16 version;
	__u8 reserved[2];
	__le32 first; /* skip so many exports */
	__le32 reserved1;
};

CW_WIRE_SIZE(struct cw_wire_discover, 16);

struct cw_wire_export {
	__u8 name[CW_WIRE_NAME];
	__u8 identity[CW_WIRE_UUID];
	__le64 size;
	__le32 logical_block;
	__le16 flags;
	__le16 more; /* in every record: exports that follow in later answers, at most 65535 */
};

CW_WIRE_SIZE(struct cw_wire_export, 96);

enum cw_wire_notice_kind {
	CW_NOTICE_GEOMETRY = 1, /* the geometry below is the new one */
	CW_NOTICE_GONE = 2, /* the export was removed; do not come back before it is there again */
	CW_NOTICE_STOPPING = 3, /* the server goes down in order; come back later */
};

enum cw_wire_notice_flags {
	CW_NOTICE_FLUSHED = 1 << 0, /* all that was acknowledged is on stable storage */
};

struct cw_wire_notice {
	__le16 kind;
	__le16 flags;
	__u8 reserved[4];
	struct cw_wire_geometry geometry;
};

CW_WIRE_SIZE(struct cw_wire_notice, 48);

#endif
