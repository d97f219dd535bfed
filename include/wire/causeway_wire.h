/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The Causeway disk protocol, version 2: everything that crosses the wire.
 *
 * docs/PROTOCOL.md is the normative text; this header is the same in C. All numbers are
 * little-endian. All structs have a fixed size and no hidden padding. Reserved fields are sent as
 * zero and refused if they are not. The file compiles as C and as C++, in kernel and user space.
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
#define CW_WIRE_AT(type, field, at)                                                             \
	CW_WIRE_ASSERT(__builtin_offsetof(type, field) == (at), #type "." #field " is misplaced")

#define CW_WIRE_MAGIC 0x59575343U /* "CSWY" in the bytes of a message */
#define CW_WIRE_VERSION 2 /* the only version of this code */
#define CW_WIRE_PORT 4793

#define CW_WIRE_PAGE 4096 /* bytes; unit of inline data areas */
#define CW_WIRE_TRAILER 1024 /* bytes of a receive behind its data area */
#define CW_WIRE_RECORDS 64 /* most records in one message */
#define CW_WIRE_INLINE_MAX 16384
#define CW_WIRE_AREA_MAX 64 /* pages of data in one message */
#define CW_WIRE_MESSAGES_MIN 4
#define CW_WIRE_MESSAGES_MAX 64
#define CW_WIRE_DEPTH_MAX 1024
#define CW_WIRE_QUEUES_MAX 256
#define CW_WIRE_IO_MAX (16U << 20)
#define CW_WIRE_NAME 64 /* bytes of an export's name, zero-padded, at most 63 are used */
#define CW_WIRE_TEXT 128 /* bytes of a text for people, zero-padded */
#define CW_WIRE_PROBE_MIN 10 /* ms; shortest silence after which a link may be probed */
#define CW_WIRE_DEAD_MAX 600000 /* ms; longest detection time that a server may grant */
#define CW_WIRE_PATHS 8 /* paths of a session, numbered from 0 */
#define CW_WIRE_UUID 16
#define CW_WIRE_NONCE 32
#define CW_WIRE_MAC 32
#define CW_WIRE_TOKEN 16
#define CW_WIRE_RECEIPT 16
#define CW_WIRE_KEY_MIN 16 /* bytes of a pre-shared key */
#define CW_WIRE_KEY_MAX 64

/* ---- connection set-up: private data of the connection manager ---- */

enum cw_wire_kind {
	CW_KIND_CONTROL = 1, /* login, notices, probes */
	CW_KIND_DATA = 2, /* commands and completions */
};

/*
 * In the connection request. magic, version_min and version_max are the same in all versions of the
 * protocol, and are checked first.
 */
struct cw_wire_req {
	__le32 magic;
	__le16 version_min;
	__le16 version_max;
	__u8 kind;
	__u8 reserved0;
	__le16 index; /* data: number of the link in its path, from 0 */
	__le32 number; /* data: of the incarnation, from WELCOME or JOINED; control: 0 */
	__u8 token[CW_WIRE_TOKEN]; /* data: proof of the login's secret; control: 0 */
	__u8 reserved1[8];
};

CW_WIRE_SIZE(struct cw_wire_req, 40);
CW_WIRE_AT(struct cw_wire_req, kind, 8);
CW_WIRE_AT(struct cw_wire_req, index, 10);
CW_WIRE_AT(struct cw_wire_req, number, 12);
CW_WIRE_AT(struct cw_wire_req, token, 16);

/* In the acceptance. */
struct cw_wire_rep {
	__le32 magic;
	__le16 version;
	__u8 kind;
	__u8 reserved0;
	__le16 index;
	__u8 reserved1[6];
	__u8 nonce[CW_WIRE_NONCE]; /* control: random; data: 0 */
};

CW_WIRE_SIZE(struct cw_wire_rep, 48);
CW_WIRE_AT(struct cw_wire_rep, kind, 6);
CW_WIRE_AT(struct cw_wire_rep, index, 8);
CW_WIRE_AT(struct cw_wire_rep, nonce, 16);

/* In the rejection; the same in all versions of the protocol. */
struct cw_wire_rej {
	__le32 magic;
	__le16 version_min;
	__le16 version_max;
	__le16 reason; /* enum cw_wire_refusal */
	__u8 reserved0[6];
};

CW_WIRE_SIZE(struct cw_wire_rej, 16);
CW_WIRE_AT(struct cw_wire_rej, version_min, 4);
CW_WIRE_AT(struct cw_wire_rej, reason, 8);

enum cw_wire_refusal {
	CW_REFUSED_NONE = 0,
	CW_REFUSED_MALFORMED = 1, /* a message that breaks the protocol */
	CW_REFUSED_VERSION = 2, /* no version in common */
	CW_REFUSED_FEATURE = 3, /* a required feature is not available */
	CW_REFUSED_EXPORT = 4, /* no export of that name, or it is being removed */
	CW_REFUSED_ADDRESS = 5, /* the client's address is not on the allow list */
	CW_REFUSED_KEY = 6, /* the proof does not fit the key */
	CW_REFUSED_KEY_NEEDED = 7, /* the export has a key, and the client offered none */
	CW_REFUSED_IN_USE = 8, /* another session owns the disk and may not be replaced */
	CW_REFUSED_LIMIT = 9, /* a limit of the server is reached */
	CW_REFUSED_TOKEN = 10, /* a data link without a live login */
	CW_REFUSED_STOPPING = 11, /* the server stops in order */
	CW_REFUSED_STALE = 12, /* the epoch, or the serial of an attach, is not the newest */
	CW_REFUSED_INTERNAL = 13, /* the server ran out of a resource */
	CW_REFUSED_SUPERSEDED = 14, /* the session was replaced, was copied, or is unknown */
	CW_REFUSED_EVICTED = 15, /* the administrator evicted this host */
	CW_REFUSED_NOT_LIVE = 16, /* JOIN of a session that is not live */
	CW_REFUSED_LEDGER = 17, /* the ledger is too old or cannot be written */
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
	/* both; control: struct cw_wire_probe, data: no data; asks for CW_MSG_ALIVE */
	CW_MSG_PROBE = 8,
	CW_MSG_ALIVE = 9, /* both; same form as the PROBE that it answers */
	CW_MSG_NOTICE = 10, /* server: struct cw_wire_notice */
	CW_MSG_GOODBYE = 11, /* client: no data; the session ends in order */
	CW_MSG_WAITING = 12, /* server: struct cw_wire_waiting; reason why a login or JOIN waits */
	CW_MSG_FAREWELL = 13, /* server: no data; the session has ended after GOODBYE */
	CW_MSG_COMMANDS = 16, /* client, data link: struct cw_wire_cmd records */
	CW_MSG_COMPLETIONS = 17, /* server, data link: struct cw_wire_done records */
	CW_MSG_JOIN = 18, /* client: struct cw_wire_join */
	CW_MSG_JOINED = 19, /* server: struct cw_wire_joined */
	CW_MSG_FENCE = 20, /* client: struct cw_wire_incarnation */
	CW_MSG_FENCED = 21, /* server: struct cw_wire_incarnation */
	CW_MSG_PATH_BYE = 22, /* client: struct cw_wire_incarnation */
};

struct cw_wire_tail {
	__u8 type; /* enum cw_wire_type */
	__u8 flags; /* 0 */
	__le16 count; /* records between data and tail */
	__le32 data_len; /* bytes of data at the start; on a data link a multiple of 16 */
	__le32 ordinal; /* messages sent before this one on this queue pair, modulo 2^32 */
	__le32 credit; /* data links: credited messages whose receive is posted again; control: 0 */
};

CW_WIRE_SIZE(struct cw_wire_tail, 16);
CW_WIRE_AT(struct cw_wire_tail, data_len, 4);
CW_WIRE_AT(struct cw_wire_tail, ordinal, 8);
CW_WIRE_AT(struct cw_wire_tail, credit, 12);

/* ---- commands ---- */

enum cw_wire_op {
	CW_OP_READ = 1,
	CW_OP_WRITE = 2,
	CW_OP_FLUSH = 3,
	CW_OP_DISCARD = 4, /* ranges are in the data; they need not read as zeroes afterwards */
	CW_OP_WRITE_ZEROES = 5,
};

enum cw_wire_cmd_flags {
	CW_CMD_FUA = 1 << 0, /* write, write-zeroes: stable before the completion */
	CW_CMD_INLINE = 1 << 1, /* write, discard: data in this message; read: in the answer's */
	CW_CMD_BULK = 1 << 2, /* read, write: rkey and addr name the client's memory */
	CW_CMD_NOUNMAP = 1 << 3, /* write-zeroes: keep the space allocated */
	CW_CMD_CRC = 1 << 4, /* crc is the CRC32C of the data; feature CW_FEATURE_CRC */
};

struct cw_wire_cmd {
	__u8 op;
	__u8 flags;
	__le16 slot; /* chosen by the client, below the depth of the link; echoed */
	__le32 len; /* bytes of the disk; discard, flush: 0 */
	__le64 offset; /* bytes; discard, flush: 0 */
	__le32 data_off; /* inline: offset of its data in this message */
	__le32 data_len; /* inline: bytes of its data in this message */
	__le32 rkey; /* bulk */
	__le32 crc;
	__le64 addr; /* bulk */
	__le16 export_id; /* from WELCOME or JOINED */
	__u8 reserved[6];
};

CW_WIRE_SIZE(struct cw_wire_cmd, 48);
CW_WIRE_AT(struct cw_wire_cmd, offset, 8);
CW_WIRE_AT(struct cw_wire_cmd, rkey, 24);
CW_WIRE_AT(struct cw_wire_cmd, addr, 32);
CW_WIRE_AT(struct cw_wire_cmd, export_id, 40);

/* One range of a discard, in the data of the message. */
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
	CW_STATUS_NOMEM = 7, /* the server is short of memory now; try again */
	CW_STATUS_GONE = 8, /* the export is being removed */
};

enum cw_wire_done_flags {
	CW_DONE_INLINE = 1 << 0, /* data_off and data_len are valid */
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
CW_WIRE_AT(struct cw_wire_done, status, 2);
CW_WIRE_AT(struct cw_wire_done, data_off, 4);
CW_WIRE_AT(struct cw_wire_done, crc, 12);

/* ---- control messages ---- */

enum cw_wire_feature {
	CW_FEATURE_BARE = 1 << 0, /* a message of 4 KiB of data alone, with immediate data */
	CW_FEATURE_CRC = 1 << 2, /* CRC32C of data */
	CW_FEATURE_PATHS = 1 << 3, /* several paths */
};

struct cw_wire_hello {
	__le32 magic;
	__le16 version; /* the one of the acceptance */
	__le16 flags; /* CW_HELLO_* */
	__le64 features_offered;
	__le64 features_required; /* a subset of features_offered */
	__u8 host[CW_WIRE_UUID]; /* the client's host, the same across reboots */
	__u8 boot[CW_WIRE_UUID]; /* drawn when the client module is loaded */
	__u8 session[CW_WIRE_UUID]; /* drawn at attach, kept until detach */
	__le64 epoch; /* of this login; increases with every login and JOIN of the session */
	/* CW_HELLO_RETURNING: from the last WELCOME that the session accepted; otherwise 0 */
	__le64 last; /* epoch of that login, below this one */
	__le64 serial; /* of the attachment, counted within the boot, from 1 */
	__le64 generation; /* of the ledger; set like last */
	__u8 receipt[CW_WIRE_RECEIPT]; /* set like last */
	__u8 nonce[CW_WIRE_NONCE];
	__u8 export_name[CW_WIRE_NAME];
	__u8 host_name[CW_WIRE_NAME]; /* for people */
	__le16 queues; /* data links; wish, at least 1 */
	__le16 depth; /* commands for each data link; wish, at least 1 */
	__le32 inline_size; /* inline bytes of a command; wish, multiple of CW_WIRE_PAGE or 0 */
	__le32 max_io; /* bytes of one command; wish */
	__le16 area; /* pages of data in a message that the client takes on a data link */
	__le16 messages; /* with records, that the client takes before it returns credit */
	__u8 path; /* below CW_WIRE_PATHS; 0 unless CW_FEATURE_PATHS is offered */
	__u8 reserved[7];
};

CW_WIRE_SIZE(struct cw_wire_hello, 304);
CW_WIRE_AT(struct cw_wire_hello, host, 24);
CW_WIRE_AT(struct cw_wire_hello, epoch, 72);
CW_WIRE_AT(struct cw_wire_hello, last, 80);
CW_WIRE_AT(struct cw_wire_hello, serial, 88);
CW_WIRE_AT(struct cw_wire_hello, generation, 96);
CW_WIRE_AT(struct cw_wire_hello, receipt, 104);
CW_WIRE_AT(struct cw_wire_hello, nonce, 120);
CW_WIRE_AT(struct cw_wire_hello, export_name, 152);
CW_WIRE_AT(struct cw_wire_hello, queues, 280);
CW_WIRE_AT(struct cw_wire_hello, max_io, 288);
CW_WIRE_AT(struct cw_wire_hello, path, 296);

enum cw_wire_hello_flags {
	CW_HELLO_KEY = 1 << 0, /* the client has a key, and requires a proof of the server too */
	CW_HELLO_RETURNING = 1 << 1, /* the session accepted a WELCOME before */
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
CW_WIRE_AT(struct cw_wire_challenge, features, 8);
CW_WIRE_AT(struct cw_wire_challenge, instance, 16);
CW_WIRE_AT(struct cw_wire_challenge, nonce, 32);

enum cw_wire_challenge_flags {
	CW_CHALLENGE_KEY = 1 << 0, /* the export has a key, which all MACs use */
};

struct cw_wire_proof {
	__u8 mac[CW_WIRE_MAC]; /* zero if the export has no key */
};

CW_WIRE_SIZE(struct cw_wire_proof, 32);

enum cw_wire_export_flags {
	CW_EXPORT_READ_ONLY = 1 << 0,
	CW_EXPORT_VOLATILE = 1 << 1, /* has a cache, which a flush writes to stable storage */
	CW_EXPORT_FUA = 1 << 2,
	CW_EXPORT_DISCARD = 1 << 3,
	CW_EXPORT_WRITE_ZEROES = 1 << 4,
	CW_EXPORT_ROTATIONAL = 1 << 5,
	CW_EXPORT_EXCLUSIVE = 1 << 6,
	CW_EXPORT_KEY = 1 << 7, /* in discovery: a key is needed */
};

/* The properties of a disk: in WELCOME and in NOTICE. */
struct cw_wire_geometry {
	__le64 size; /* bytes, multiple of the logical block */
	__le32 logical_block; /* bytes, power of two, 512..4096 */
	__le32 physical_block; /* bytes, power of two, at least the logical block */
	__le32 io_min; /* bytes, 0 unknown */
	__le32 io_opt; /* bytes, 0 unknown */
	__le32 discard_max; /* bytes in all ranges of one command; 0: no discard */
	__le32 discard_granularity; /* bytes */
	__le16 discard_ranges; /* ranges in one command */
	__le16 flags; /* enum cw_wire_export_flags */
	__le32 zeroes_max; /* bytes, 0 no write-zeroes */
};

CW_WIRE_SIZE(struct cw_wire_geometry, 40);
CW_WIRE_AT(struct cw_wire_geometry, discard_max, 24);
CW_WIRE_AT(struct cw_wire_geometry, discard_ranges, 32);
CW_WIRE_AT(struct cw_wire_geometry, zeroes_max, 36);

struct cw_wire_welcome {
	__u8 mac[CW_WIRE_MAC]; /* the server's proof; zero if the export has no key */
	__le32 number; /* of this incarnation, not 0 */
	__le16 queues; /* data links granted */
	__le16 depth; /* commands per data link granted */
	__le32 inline_size;
	__le32 max_io;
	__le32 probe_ms; /* a link is probed after so much silence */
	__le32 dead_ms; /* and given up after so much: 2 * probe_ms to CW_WIRE_DEAD_MAX */
	__le16 export_id;
	__le16 area; /* pages of data in a message that the server takes on a data link */
	__le16 messages; /* with records, that the server takes before it returns credit */
	__u8 reserved[2];
	__le64 generation; /* of the ledger; 0 for a read-only export */
	__u8 receipt[CW_WIRE_RECEIPT]; /* of the ledger, for the next HELLO */
	__u8 identity[CW_WIRE_UUID];
	struct cw_wire_geometry geometry;
};

CW_WIRE_SIZE(struct cw_wire_welcome, 144);
CW_WIRE_AT(struct cw_wire_welcome, number, 32);
CW_WIRE_AT(struct cw_wire_welcome, probe_ms, 48);
CW_WIRE_AT(struct cw_wire_welcome, export_id, 56);
CW_WIRE_AT(struct cw_wire_welcome, generation, 64);
CW_WIRE_AT(struct cw_wire_welcome, receipt, 72);
CW_WIRE_AT(struct cw_wire_welcome, identity, 88);
CW_WIRE_AT(struct cw_wire_welcome, geometry, 104);

struct cw_wire_refused {
	__u8 mac[CW_WIRE_MAC]; /* after PROOF if the export has a key; otherwise zero */
	__le16 reason; /* enum cw_wire_refusal */
	__u8 reserved[6];
	__le64 epoch; /* CW_REFUSED_STALE after PROOF: the newest of the session; otherwise 0 */
	__u8 identity[CW_WIRE_UUID]; /* after PROOF: of the disk; otherwise zero */
	__u8 text[CW_WIRE_TEXT];
};

CW_WIRE_SIZE(struct cw_wire_refused, 192);
CW_WIRE_AT(struct cw_wire_refused, reason, 32);
CW_WIRE_AT(struct cw_wire_refused, epoch, 40);
CW_WIRE_AT(struct cw_wire_refused, identity, 48);
CW_WIRE_AT(struct cw_wire_refused, text, 64);

enum cw_wire_waiting_reason {
	CW_WAITING_COMMANDS = 1, /* earlier commands have not ended */
	CW_WAITING_OWNER = 2, /* the owner of the disk may answer or return */
	CW_WAITING_LEDGER = 3, /* a write to the ledger */
	CW_WAITING_FENCE = 4, /* the FENCE that announces a JOIN */
};

struct cw_wire_waiting {
	__le16 reason; /* enum cw_wire_waiting_reason */
	__le16 reserved0;
	__le32 commands; /* CW_WAITING_COMMANDS: number of commands left; otherwise 0 */
	__u8 reserved1[8];
};

CW_WIRE_SIZE(struct cw_wire_waiting, 16);
CW_WIRE_AT(struct cw_wire_waiting, commands, 4);

/* Adds a path to a live session. */
struct cw_wire_join {
	__u8 mac[CW_WIRE_MAC]; /* with the secret of the login, also if the export has no key */
	__le32 magic;
	__le16 version; /* the one of the acceptance */
	__u8 path; /* below CW_WIRE_PATHS */
	__u8 reserved[9];
	__le64 features; /* offered for this path */
	__u8 host[CW_WIRE_UUID];
	__u8 boot[CW_WIRE_UUID];
	__u8 session[CW_WIRE_UUID];
	__le64 epoch; /* of this join */
	__u8 nonce[CW_WIRE_NONCE];
	__le16 queues; /* wishes and receives as in HELLO */
	__le16 depth;
	__le32 inline_size;
	__le32 max_io;
	__le16 area;
	__le16 messages;
};

CW_WIRE_SIZE(struct cw_wire_join, 160);
CW_WIRE_AT(struct cw_wire_join, magic, 32);
CW_WIRE_AT(struct cw_wire_join, path, 38);
CW_WIRE_AT(struct cw_wire_join, features, 48);
CW_WIRE_AT(struct cw_wire_join, host, 56);
CW_WIRE_AT(struct cw_wire_join, epoch, 104);
CW_WIRE_AT(struct cw_wire_join, nonce, 112);
CW_WIRE_AT(struct cw_wire_join, queues, 144);
CW_WIRE_AT(struct cw_wire_join, max_io, 152);
CW_WIRE_AT(struct cw_wire_join, area, 156);

struct cw_wire_joined {
	__u8 mac[CW_WIRE_MAC]; /* with the secret of the login, also if the export has no key */
	__le32 number; /* of this incarnation, not 0 */
	__le16 queues; /* grants and times as in WELCOME */
	__le16 depth;
	__le32 inline_size;
	__le32 max_io;
	__le32 probe_ms;
	__le32 dead_ms;
	__le16 export_id;
	__le16 area;
	__le16 messages;
	__u8 path; /* as in JOIN */
	__u8 reserved;
	__le64 features; /* chosen for this path */
	__le64 epoch; /* as in JOIN */
	__u8 instance[CW_WIRE_UUID];
};

CW_WIRE_SIZE(struct cw_wire_joined, 96);
CW_WIRE_AT(struct cw_wire_joined, number, 32);
CW_WIRE_AT(struct cw_wire_joined, probe_ms, 48);
CW_WIRE_AT(struct cw_wire_joined, path, 62);
CW_WIRE_AT(struct cw_wire_joined, features, 64);
CW_WIRE_AT(struct cw_wire_joined, epoch, 72);
CW_WIRE_AT(struct cw_wire_joined, instance, 80);

/*
 * FENCE, FENCED: the incarnations of a path up to this epoch; PATH_BYE: that of the sender's path.
 */
struct cw_wire_incarnation {
	__u8 path; /* below CW_WIRE_PATHS */
	__u8 reserved[7];
	__le64 epoch;
};

CW_WIRE_SIZE(struct cw_wire_incarnation, 16);
CW_WIRE_AT(struct cw_wire_incarnation, epoch, 8);

/* PROBE and ALIVE on a control link. */
struct cw_wire_probe {
	__le64 cookie; /* ALIVE: the cookie of the PROBE that it answers */
	__u8 reserved[8];
};

CW_WIRE_SIZE(struct cw_wire_probe, 16);

struct cw_wire_discover {
	__le32 magic;
	__le16 version;
	__u8 reserved[2];
	__le32 first; /* number of exports to skip */
	__le32 reserved1;
};

CW_WIRE_SIZE(struct cw_wire_discover, 16);
CW_WIRE_AT(struct cw_wire_discover, first, 8);

struct cw_wire_export {
	__u8 name[CW_WIRE_NAME];
	__u8 identity[CW_WIRE_UUID];
	__le64 size;
	__le32 logical_block;
	__le16 flags;
	__le16 more; /* in every record: exports that follow in later answers, at most 65535 */
};

CW_WIRE_SIZE(struct cw_wire_export, 96);
CW_WIRE_AT(struct cw_wire_export, identity, 64);
CW_WIRE_AT(struct cw_wire_export, size, 80);
CW_WIRE_AT(struct cw_wire_export, more, 94);

enum cw_wire_notice_kind {
	CW_NOTICE_GEOMETRY = 1, /* the geometry has changed */
	CW_NOTICE_GONE = 2, /* the export was removed; log in only after it was added again */
	CW_NOTICE_STOPPING = 3, /* the server stops in order; log in later */
};

enum cw_wire_notice_flags {
	/* all writes of the session that were or will be acknowledged are on stable storage */
	CW_NOTICE_FLUSHED = 1 << 0,
};

struct cw_wire_notice {
	__le16 kind;
	__le16 flags;
	__le32 sequence; /* from 1 after each WELCOME; increases by 1 with each NOTICE */
	struct cw_wire_geometry geometry; /* the present one, in every kind */
};

CW_WIRE_SIZE(struct cw_wire_notice, 48);
CW_WIRE_AT(struct cw_wire_notice, sequence, 4);
CW_WIRE_AT(struct cw_wire_notice, geometry, 8);

#endif
