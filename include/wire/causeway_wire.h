/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The Causeway disk protocol, version 2: connection set-up, messages and commands.
 * causeway_control.h has the messages of the control link.
 *
 * docs/PROTOCOL.md is the normative text; these headers are the same in C. All numbers are
 * little-endian. All structs have a fixed size and no hidden padding. Reserved fields are sent as
 * zero and refused if they are not. The files compile as C and as C++, in kernel and user space.
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
#define CW_WIRE_PORT 4793 /* of the RDMA connection manager; of iWARP, TCP */
#define CW_WIRE_TCP_PORT 4794

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
#define CW_WIRE_ADDRESSES 8 /* of one export in EXPORTS */
#define CW_WIRE_ADDRESS 16 /* bytes of an IP address */
#define CW_WIRE_UUID 16
#define CW_WIRE_NONCE 32
#define CW_WIRE_MAC 32
#define CW_WIRE_TOKEN 16
#define CW_WIRE_RECEIPT 16
#define CW_WIRE_KEY_MIN 16 /* bytes of a pre-shared key */
#define CW_WIRE_KEY_MAX 64

/* ---- connection set-up: private data of the connection manager, or first frames of TCP ---- */

enum cw_wire_kind {
	CW_KIND_CONTROL = 1, /* login, notices, probes */
	CW_KIND_DATA = 2, /* commands and completions */
};

/*
 * The transport of a link, or of an address in EXPORTS. The MACs of a login cover it in request and
 * acceptance. The numbers are those of enum cw_transport.
 */
enum cw_wire_transport {
	CW_WIRE_RDMA = 1,
	CW_WIRE_TCP = 2,
};

/*
 * The private data of the connection request. magic, version_min and version_max have the same
 * place in all versions of the protocol, and are checked first.
 */
struct cw_wire_req {
	__le32 magic;
	__le16 version_min;
	__le16 version_max;
	__u8 kind;
	__u8 transport; /* enum cw_wire_transport */
	__le16 index; /* data: number of the link in its path, from 0 */
	__le32 number; /* data: of the incarnation, from WELCOME or JOINED; control: 0 */
	__u8 token[CW_WIRE_TOKEN]; /* data: proof of the login's secret; control: 0 */
	__u8 reserved0[8];
};

CW_WIRE_SIZE(struct cw_wire_req, 40);
CW_WIRE_AT(struct cw_wire_req, kind, 8);
CW_WIRE_AT(struct cw_wire_req, transport, 9);
CW_WIRE_AT(struct cw_wire_req, index, 10);
CW_WIRE_AT(struct cw_wire_req, number, 12);
CW_WIRE_AT(struct cw_wire_req, token, 16);

/* The private data of the acceptance. */
struct cw_wire_rep {
	__le32 magic;
	__le16 version;
	__u8 kind;
	__u8 transport; /* enum cw_wire_transport */
	__le16 index;
	__u8 reserved0[6];
	__u8 nonce[CW_WIRE_NONCE]; /* control: random; data: 0 */
};

CW_WIRE_SIZE(struct cw_wire_rep, 48);
CW_WIRE_AT(struct cw_wire_rep, kind, 6);
CW_WIRE_AT(struct cw_wire_rep, transport, 7);
CW_WIRE_AT(struct cw_wire_rep, index, 8);
CW_WIRE_AT(struct cw_wire_rep, nonce, 16);

/* The private data of the rejection; the same in all versions of the protocol. */
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
	CW_REFUSED_MALFORMED = 1, /* a connection request that breaks the protocol */
	CW_REFUSED_VERSION = 2, /* no version in common, or HELLO has another one */
	CW_REFUSED_FEATURE = 3, /* a required feature is not available */
	CW_REFUSED_EXPORT = 4, /* no export of that name, or it is being removed */
	CW_REFUSED_ADDRESS = 5, /* the client's address is not on the allow list */
	CW_REFUSED_KEY = 6, /* the proof does not fit the key */
	CW_REFUSED_KEY_NEEDED = 7, /* the export has a key, and the client offered none */
	CW_REFUSED_IN_USE = 8, /* another session owns the disk: alive, or not to be replaced */
	CW_REFUSED_LIMIT = 9, /* a limit of the server is reached */
	CW_REFUSED_TOKEN = 10, /* a data link without a live login */
	CW_REFUSED_STOPPING = 11, /* the server stops in order */
	CW_REFUSED_STALE = 12, /* the epoch, or the serial of an attach, is not the newest */
	CW_REFUSED_INTERNAL = 13, /* the server ran out of a resource */
	CW_REFUSED_SUPERSEDED = 14, /* the session was replaced, was copied, or is unknown */
	CW_REFUSED_EVICTED = 15, /* the administrator evicted this host */
	CW_REFUSED_NOT_LIVE = 16, /* JOIN of a session that is not live */
	CW_REFUSED_LEDGER = 17, /* the ledger is too old or cannot be written */
	CW_REFUSED_TRANSPORT = 18, /* the export is not served over this transport */
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
	/* server: struct cw_wire_waiting; the reason why a login, JOIN or FENCE waits */
	CW_MSG_WAITING = 12,
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
	__le32 data_len; /* bytes of data at the start; on a data link, a multiple of 16 */
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
	__le32 data_off; /* inline: offset of its data in this message, a multiple of 16 */
	__le32 data_len; /* inline: bytes of its data in this message */
	__le32 rkey; /* of a transfer */
	__le32 crc;
	__le64 addr; /* of a transfer */
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
	CW_STATUS_READONLY = 3, /* the disk cannot be written */
	CW_STATUS_RANGE = 4, /* beyond the end or a limit, or not on block boundaries */
	CW_STATUS_UNSUPPORTED = 5, /* the disk lacks the operation or FUA */
	CW_STATUS_MEDIUM = 6, /* unreadable sector */
	CW_STATUS_NOMEM = 7, /* the server is short of memory now; try again */
	CW_STATUS_GONE = 8, /* the export is being removed; the session ends next */
};

enum cw_wire_done_flags {
	CW_DONE_INLINE = 1 << 0, /* data_off and data_len are valid: an inline read succeeded */
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

#endif
