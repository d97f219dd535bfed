/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * Parsers of connection set-up: the private data of request, acceptance and rejection
 * (docs/PROTOCOL.md, section 2).
 *
 * The rules of causeway_parse.h hold for all of these functions.
 */
#ifndef CAUSEWAY_SETUP_H
#define CAUSEWAY_SETUP_H

#include "causeway_types.h"
#include "causeway_wire.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * Context: Any context.
 * Return: 0; -EPROTO: not a request.
 */
int cw_parse_versions(const void *data, size_t len, struct cw_versions *out);

struct cw_req {
	u16 version; /* the highest common version */
	u8 kind;
	u8 transport; /* enum cw_wire_transport; the caller compares it with the connection's */
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
 * Context: Any context.
 * Return: 0; -EPROTO: not a request, or a field is wrong; -EPROTONOSUPPORT: a request without a
 * common version, whose later fields are not checked.
 */
int cw_parse_req(const void *data, size_t len, struct cw_req *out);

struct cw_rep {
	u16 version;
	u8 kind;
	u8 transport; /* enum cw_wire_transport; the caller compares it with the connection's */
	u16 index;
	u8 nonce[CW_WIRE_NONCE]; /* control links only */
};

/**
 * cw_parse_rep() - parses the acceptance of a connection request
 * @data: private data of the acceptance
 * @len: its bytes; may exceed the struct, because the connection manager pads it
 * @out: set on success
 *
 * Context: Any context.
 * Return: 0; -EPROTO: not an acceptance, a version that the request did not offer, or a field is
 * wrong.
 */
int cw_parse_rep(const void *data, size_t len, struct cw_rep *out);

struct cw_rej {
	u16 version_min, version_max;
	u16 reason; /* enum cw_wire_refusal, never CW_REFUSED_NONE */
};

/**
 * cw_parse_rej() - parses the rejection of a connection request
 * @data: private data of the rejection
 * @len: its bytes; may exceed the struct, because the connection manager pads it
 * @out: set on success
 *
 * Context: Any context.
 * Return: 0; -EPROTO: not a rejection, or a field is wrong.
 */
int cw_parse_rej(const void *data, size_t len, struct cw_rej *out);

/**
 * cw_pack_req() - packs a connection request
 * @rec: set
 * @req: the request; index, number and token are sent on data links only
 *
 * The version is sent as the lowest and the highest.
 * Context: Any context.
 */
void cw_pack_req(struct cw_wire_req *rec, const struct cw_req *req);
/**
 * cw_pack_rep() - packs the acceptance of a connection request
 * @rec: set
 * @rep: the acceptance; its nonce is sent on control links only, its index on data links only
 *
 * Context: Any context.
 */
void cw_pack_rep(struct cw_wire_rep *rec, const struct cw_rep *rep);
/**
 * cw_pack_rej() - packs the rejection of a connection request
 * @rec: set; its versions are CW_WIRE_VERSION
 * @reason: enum cw_wire_refusal
 *
 * Context: Any context.
 */
void cw_pack_rej(struct cw_wire_rej *rec, u16 reason);

#ifdef __cplusplus
}
#endif

#endif
