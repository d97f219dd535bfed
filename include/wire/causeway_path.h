/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * Parsers of the messages of a session with several paths (docs/PROTOCOL.md, section 7).
 *
 * The rules of causeway_parse.h hold for all of these functions.
 */
#ifndef CAUSEWAY_PATH_H
#define CAUSEWAY_PATH_H

#include "causeway_control.h"
#include "causeway_types.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * Context: Any context.
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
 * Context: Any context.
 * Return: 0 or -EPROTO.
 */
int cw_parse_joined(const void *data, size_t len, const struct cw_join *wish, u64 chosen,
		    struct cw_joined *out);

struct cw_incarnation {
	u8 path;
	u64 tag; /* FENCE that announces a JOIN: cw_join_tag() of its nonce; otherwise 0 */
	u64 epoch;
};

/**
 * cw_parse_fence() - parses FENCE
 * @data: the data area of the message
 * @len: its bytes
 * @out: set on success
 *
 * Context: Any context.
 * Return: 0 or -EPROTO.
 */
int cw_parse_fence(const void *data, size_t len, struct cw_incarnation *out);

/**
 * cw_parse_incarnation() - parses FENCED and PATH_BYE, which have no tag
 * @data: the data area of the message
 * @len: its bytes
 * @out: set on success
 *
 * Context: Any context.
 * Return: 0 or -EPROTO.
 */
int cw_parse_incarnation(const void *data, size_t len, struct cw_incarnation *out);

/**
 * cw_join_tag() - returns the part of a JOIN's nonce by which a FENCE announces this JOIN
 * @nonce: CW_WIRE_NONCE bytes
 *
 * Context: Any context.
 * Return: a number of CW_WIRE_JOIN_TAG bytes; not 0 for the nonce of a JOIN.
 */
u64 cw_join_tag(const u8 *nonce);

/**
 * cw_pack_join() - packs JOIN
 * @rec: set
 * @join: the values
 *
 * Context: Any context.
 */
void cw_pack_join(struct cw_wire_join *rec, const struct cw_join *join);
/**
 * cw_pack_joined() - packs JOINED
 * @rec: set
 * @joined: the values
 *
 * Context: Any context.
 */
void cw_pack_joined(struct cw_wire_joined *rec, const struct cw_joined *joined);
/**
 * cw_pack_incarnation() - packs FENCE, FENCED and PATH_BYE
 * @rec: set
 * @which: the path, its epoch and the tag, which is 0 unless a FENCE announces a JOIN
 *
 * Context: Any context.
 */
void cw_pack_incarnation(struct cw_wire_incarnation *rec, const struct cw_incarnation *which);

#ifdef __cplusplus
}
#endif

#endif
