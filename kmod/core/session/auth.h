/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Proofs of a shared key (docs/PROTOCOL.md section 4, rules 6 to 11; section 7, rule 2). Process
 * context.
 */
#ifndef CW_AUTH_H
#define CW_AUTH_H

#include "../../../include/wire/causeway_control.h"

struct cw_key {
	u8 bytes[CW_WIRE_KEY_MAX];
	size_t len; /* 0: no key; MACs are zero, and the secret is made with 32 zero bytes */
};

/* The state of a login at both ends after CHALLENGE. Erase it with memzero_explicit(). */
struct cw_auth {
	struct cw_key key;
	u8 transcript[CW_WIRE_MAC]; /* T */
	u8 client[CW_WIRE_MAC]; /* the MAC that PROOF must carry */
	u8 secret[CW_WIRE_MAC]; /* S, of the login */
};

/**
 * cw_auth_begin() - compute the MACs and the secret of a login
 * @auth: set by this function
 * @key: key of the export
 * @req: private data of the control link's request
 * @rep: private data of its acceptance
 * @hello: HELLO of the client
 * @challenge: CHALLENGE of the server
 *
 * The structures are those that were sent on the wire.
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cw_auth_begin(struct cw_auth *auth, const struct cw_key *key, const struct cw_wire_req *req,
		  const struct cw_wire_rep *rep, const struct cw_wire_hello *hello,
		  const struct cw_wire_challenge *challenge);
/**
 * cw_auth_welcome() - compute the MAC of a WELCOME
 * @auth: login
 * @proof: PROOF of the client
 * @rec: WELCOME. Its own MAC is not read.
 * @mac: set to the MAC; zero if there is no key
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cw_auth_welcome(const struct cw_auth *auth, const struct cw_wire_proof *proof,
		    const struct cw_wire_welcome *rec, u8 mac[CW_WIRE_MAC]);

/**
 * cw_auth_refused() - compute the MAC of a REFUSED
 * @auth: login
 * @proof: PROOF of the client
 * @rec: REFUSED. Its own MAC is not read.
 * @mac: set to the MAC; zero if there is no key
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cw_auth_refused(const struct cw_auth *auth, const struct cw_wire_proof *proof,
		    const struct cw_wire_refused *rec, u8 mac[CW_WIRE_MAC]);
/**
 * cw_auth_join() - compute the MAC of a JOIN
 * @secret: secret of the login that the path joins
 * @req: private data of the request for the control link of the path, as sent
 * @rep: private data of its acceptance, as sent
 * @rec: JOIN. Its own MAC is not read.
 * @mac: set to the MAC, also if the export has no key
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cw_auth_join(const u8 secret[CW_WIRE_MAC], const struct cw_wire_req *req,
		 const struct cw_wire_rep *rep, const struct cw_wire_join *rec,
		 u8 mac[CW_WIRE_MAC]);

/**
 * cw_auth_joined() - compute the MAC of a JOINED
 * @secret: secret of the login that the path joins
 * @req: private data of the request for the control link of the path, as sent
 * @rep: private data of its acceptance, as sent
 * @join: JOIN as sent, with its MAC
 * @rec: JOINED. Its own MAC is not read.
 * @mac: set to the MAC, also if the export has no key
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cw_auth_joined(const u8 secret[CW_WIRE_MAC], const struct cw_wire_req *req,
		   const struct cw_wire_rep *rep, const struct cw_wire_join *join,
		   const struct cw_wire_joined *rec, u8 mac[CW_WIRE_MAC]);

/**
 * cw_auth_token() - compute the token that the request of a data link carries
 * @secret: secret of the login
 * @number: number of the session
 * @epoch: epoch of the session
 * @kind: kind of the link, CW_KIND_*
 * @index: index of the link
 * @token: set to the token
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cw_auth_token(const u8 secret[CW_WIRE_MAC], u32 number, u64 epoch, u8 kind, u16 index,
		  u8 token[CW_WIRE_TOKEN]);
/**
 * cw_auth_receipt() - compute the receipt that a WELCOME carries
 * @secret: secret of the ledger
 * @ledger: identity of the ledger
 * @generation: generation of the ownership
 * @host: identity of the client's host
 * @session: identity of the session
 * @receipt: set to the receipt (docs/PROTOCOL.md section 6, rule 6)
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cw_auth_receipt(const u8 secret[32], const u8 ledger[CW_WIRE_UUID], u64 generation,
		    const u8 host[CW_WIRE_UUID], const u8 session[CW_WIRE_UUID],
		    u8 receipt[CW_WIRE_RECEIPT]);
/**
 * cw_auth_equal() - compare secrets
 * @a: bytes
 * @b: bytes
 * @len: number of bytes
 *
 * The time does not depend on the content.
 *
 * Context: Any context.
 * Return: True if they are equal.
 */
bool cw_auth_equal(const u8 *a, const u8 *b, size_t len);

#endif
