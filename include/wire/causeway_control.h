/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * Messages of the control link: login, paths, notices and probes. docs/PROTOCOL.md is the normative
 * text. The rules of causeway_wire.h hold for these structs, too.
 */
#ifndef CAUSEWAY_CONTROL_H
#define CAUSEWAY_CONTROL_H

#include "causeway_wire.h"

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
	__le32 physical_block; /* bytes, power of two, from the logical block to 1 MiB */
	__le32 io_min; /* bytes, 0 unknown */
	__le32 io_opt; /* bytes, 0 unknown */
	__le32 discard_max; /* bytes in all ranges of one command; 0: no discard */
	__le32 discard_granularity; /* bytes */
	__le16 discard_ranges; /* ranges in one command */
	__le16 flags; /* enum cw_wire_export_flags, never CW_EXPORT_KEY */
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
	__u8 receipt[CW_WIRE_RECEIPT]; /* for the next HELLO; 0 for a read-only export */
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
	/* CW_REFUSED_STALE after PROOF, because of the epoch: the session's newest; otherwise 0 */
	__le64 epoch;
	__u8 identity[CW_WIRE_UUID]; /* after PROOF: of the disk; otherwise zero */
	__u8 text[CW_WIRE_TEXT];
};

CW_WIRE_SIZE(struct cw_wire_refused, 192);
CW_WIRE_AT(struct cw_wire_refused, reason, 32);
CW_WIRE_AT(struct cw_wire_refused, epoch, 40);
CW_WIRE_AT(struct cw_wire_refused, identity, 48);
CW_WIRE_AT(struct cw_wire_refused, text, 64);

enum cw_wire_waiting_reason {
	/* earlier commands have not ended; after WELCOME or JOINED: those that FENCE names */
	CW_WAITING_COMMANDS = 1,
	CW_WAITING_OWNER = 2, /* the owner of the disk may answer or return */
	CW_WAITING_LEDGER = 3, /* a write to the ledger */
	CW_WAITING_FENCE = 4, /* the FENCE that announces a JOIN */
};

struct cw_wire_waiting {
	__le16 reason; /* enum cw_wire_waiting_reason */
	__u8 path; /* below CW_WIRE_PATHS; CW_WAITING_COMMANDS of a FENCE: its path; otherwise 0 */
	__u8 reserved0;
	__le32 commands; /* CW_WAITING_COMMANDS: number of commands left; otherwise 0 */
	__u8 reserved1[8];
};

CW_WIRE_SIZE(struct cw_wire_waiting, 16);
CW_WIRE_AT(struct cw_wire_waiting, path, 2);
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
	__u8 nonce[CW_WIRE_NONCE]; /* the first CW_WIRE_JOIN_TAG bytes are not all 0 */
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

#define CW_WIRE_JOIN_TAG 7 /* bytes */

/*
 * FENCE, FENCED: the incarnations of a path up to this epoch; PATH_BYE: that of the sender's path.
 */
struct cw_wire_incarnation {
	__u8 path; /* below CW_WIRE_PATHS */
	/* FENCE that announces a JOIN: the first bytes of its nonce, not all 0; otherwise 0 */
	__u8 tag[CW_WIRE_JOIN_TAG];
	__le64 epoch;
};

CW_WIRE_SIZE(struct cw_wire_incarnation, 16);
CW_WIRE_AT(struct cw_wire_incarnation, tag, 1);
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

enum cw_wire_family {
	CW_WIRE_IPV4 = 4,
	CW_WIRE_IPV6 = 6,
};

/* An address by which an export can be reached. All zero: none. */
struct cw_wire_address {
	__u8 transport; /* enum cw_wire_transport */
	__u8 family; /* enum cw_wire_family */
	__le16 port; /* not 0 */
	__u8 reserved[4];
	__u8 address[CW_WIRE_ADDRESS]; /* network order; IPv4: the first 4 bytes, then zeroes */
};

CW_WIRE_SIZE(struct cw_wire_address, 24);
CW_WIRE_AT(struct cw_wire_address, port, 2);
CW_WIRE_AT(struct cw_wire_address, address, 8);

struct cw_wire_export {
	__u8 name[CW_WIRE_NAME];
	__u8 identity[CW_WIRE_UUID];
	__le64 size;
	__le32 logical_block;
	__le16 flags;
	/* number of exports in later answers, at most 65535; the same in all records */
	__le16 more;
	/* the preferred one first; the used ones are in front, and no two are the same */
	struct cw_wire_address addresses[CW_WIRE_ADDRESSES];
};

CW_WIRE_SIZE(struct cw_wire_export, 288);
CW_WIRE_AT(struct cw_wire_export, identity, 64);
CW_WIRE_AT(struct cw_wire_export, size, 80);
CW_WIRE_AT(struct cw_wire_export, more, 94);
CW_WIRE_AT(struct cw_wire_export, addresses, 96);

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
	/* from 1 after each WELCOME; increases by 1 with each event; the same on all paths */
	__le32 sequence;
	struct cw_wire_geometry geometry; /* the present one, in every kind */
};

CW_WIRE_SIZE(struct cw_wire_notice, 48);
CW_WIRE_AT(struct cw_wire_notice, sequence, 4);
CW_WIRE_AT(struct cw_wire_notice, geometry, 8);

#endif
