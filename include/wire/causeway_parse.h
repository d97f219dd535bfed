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

#include "causeway_address.h"
#include "causeway_control.h"
#include "causeway_message.h"
#include "causeway_path.h"
#include "causeway_setup.h"
#include "causeway_types.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * Context: Any context.
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
 * Context: Any context.
 * Return: 0; -EPROTONOSUPPORT: another version; -EPROTO.
 */
int cw_parse_challenge(const void *data, size_t len, u64 offered, u64 required,
		       struct cw_challenge *out);

/**
 * cw_parse_proof() - parses PROOF
 * @data: the data area of the message
 * @len: its bytes
 * @mac: set on success
 *
 * Context: Any context.
 * Return: 0; -EPROTO: a wrong length.
 */
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
 * Context: Any context.
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

/**
 * cw_parse_refused() - parses REFUSED
 * @data: the data area of the message
 * @len: its bytes
 * @out: set on success
 *
 * Context: Any context.
 * Return: 0 or -EPROTO.
 */
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
 * Context: Any context.
 * Return: 0 or -EPROTO.
 */
int cw_parse_waiting(const void *data, size_t len, bool of_fence, struct cw_waiting *out);

/**
 * cw_parse_probe() - parses PROBE and ALIVE of a control link
 * @data: the data area of the message
 * @len: its bytes
 * @cookie: set on success
 *
 * Context: Any context.
 * Return: 0 or -EPROTO.
 */
int cw_parse_probe(const void *data, size_t len, u64 *cookie);

struct cw_discover {
	u32 first;
};

/**
 * cw_parse_discover() - parses DISCOVER
 * @data: the data area of the message
 * @len: its bytes
 * @out: set on success
 *
 * Context: Any context.
 * Return: 0; -EPROTONOSUPPORT: another version; -EPROTO.
 */
int cw_parse_discover(const void *data, size_t len, struct cw_discover *out);

struct cw_export_info {
	char name[CW_WIRE_NAME];
	u8 identity[CW_WIRE_UUID];
	u64 size;
	u32 logical_block;
	u16 flags;
	u16 more;
	u16 nr_addresses; /* at most CW_WIRE_ADDRESSES */
	struct cw_address addresses[CW_WIRE_ADDRESSES]; /* in the order of preference */
};

/**
 * cw_parse_export() - parses one record of an EXPORTS message
 * @data: the data area of the message
 * @len: its bytes
 * @i: index of the record
 * @out: set on success
 *
 * Context: Any context.
 * Return: 0; -ENOENT: there are fewer records; -EPROTO.
 */
int cw_parse_export(const void *data, size_t len, size_t i, struct cw_export_info *out);

struct cw_notice {
	u16 kind;
	u16 flags;
	u32 sequence; /* not 0 */
	struct cw_geometry geo;
};

/**
 * cw_parse_notice() - parses NOTICE
 * @data: the data area of the message
 * @len: its bytes
 * @out: set on success
 *
 * Context: Any context.
 * Return: 0 or -EPROTO.
 */
int cw_parse_notice(const void *data, size_t len, struct cw_notice *out);

/* ---- the other direction: messages to send, from host order ---- */

/**
 * cw_pack_hello() - packs HELLO
 * @rec: set
 * @hello: the values; last, generation and receipt are sent with CW_HELLO_RETURNING only, the path
 *   with CW_FEATURE_PATHS only
 *
 * Context: Any context.
 */
void cw_pack_hello(struct cw_wire_hello *rec, const struct cw_hello *hello);
/**
 * cw_pack_challenge() - packs CHALLENGE
 * @rec: set
 * @challenge: the values
 *
 * Context: Any context.
 */
void cw_pack_challenge(struct cw_wire_challenge *rec, const struct cw_challenge *challenge);
/**
 * cw_pack_welcome() - packs WELCOME
 * @rec: set
 * @welcome: the values
 *
 * Context: Any context.
 */
void cw_pack_welcome(struct cw_wire_welcome *rec, const struct cw_welcome *welcome);
/**
 * cw_pack_refused() - packs REFUSED
 * @rec: set
 * @refused: the values; the epoch is sent with CW_REFUSED_STALE and an identity only
 *
 * Context: Any context.
 */
void cw_pack_refused(struct cw_wire_refused *rec, const struct cw_refused *refused);
/**
 * cw_pack_waiting() - packs WAITING
 * @rec: set
 * @waiting: the values; path and commands are sent with CW_WAITING_COMMANDS only
 *
 * Context: Any context.
 */
void cw_pack_waiting(struct cw_wire_waiting *rec, const struct cw_waiting *waiting);
/**
 * cw_pack_probe() - packs PROBE and ALIVE of a control link
 * @rec: set
 * @cookie: the cookie
 *
 * Context: Any context.
 */
void cw_pack_probe(struct cw_wire_probe *rec, u64 cookie);
/**
 * cw_pack_export() - packs one record of an EXPORTS message
 * @rec: set
 * @info: the export
 *
 * Context: Any context.
 */
void cw_pack_export(struct cw_wire_export *rec, const struct cw_export_info *info);
/**
 * cw_pack_notice() - packs NOTICE
 * @rec: set
 * @notice: the values
 *
 * Context: Any context.
 */
void cw_pack_notice(struct cw_wire_notice *rec, const struct cw_notice *notice);

/**
 * cw_valid_name() - checks whether a string is a name of an export
 * @name: the string
 * @size: bytes of its buffer
 *
 * A name has 1 to 63 letters, digits, '.', '_', '-', ':', and does not begin with '.' or '-'.
 * Context: Any context.
 * Return: true if it is.
 */
bool cw_valid_name(const char *name, size_t size);

/**
 * cw_valid_key() - checks whether a key can be a pre-shared key
 * @key: the key
 * @len: its bytes
 *
 * Context: Any context.
 * Return: true if it has 16 to 64 bytes that are not all zero.
 */
bool cw_valid_key(const u8 *key, size_t len);

#ifdef __cplusplus
}
#endif

#endif
