/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Proofs of a shared key (docs/PROTOCOL.md section 4, rules 6 to 11). Process context.
 */
#ifndef CW_AUTH_H
#define CW_AUTH_H

#include "../../../include/wire/causeway_wire.h"

struct cw_key {
	u8 bytes[CW_WIRE_KEY_MAX];
	size_t len; /* 0: none, MACs are zero, the secret is made with 32 zero bytes */
};

/* The state of a login that both ends have after CHALLENGE. Secret: memzero_explicit() it. */
struct cw_auth {
	struct cw_key key;
	u8 transcript[CW_WIRE_MAC]; /* T */
	u8 client[CW_WIRE_MAC]; /* what PROOF must carry */
	u8 secret[CW_WIRE_MAC]; /* S, of the login */
};

/* The structs are those of the control link, as they were sent. 0 or -errno. May sleep. */
int cw_auth_begin(struct cw_auth *auth, const struct cw_key *key, const struct cw_wire_req *req,
		  const struct cw_wire_rep *rep, const struct cw_wire_hello *hello,
		  const struct cw_wire_challenge *challenge);
/* The MAC that goes into @rec, whatever is there. @proof was sent. 0 or -errno. May sleep. */
int cw_auth_welcome(const struct cw_auth *auth, const struct cw_wire_proof *proof,
		    const struct cw_wire_welcome *rec, u8 mac[CW_WIRE_MAC]);
int cw_auth_refused(const struct cw_auth *auth, const struct cw_wire_proof *proof,
		    const struct cw_wire_refused *rec, u8 mac[CW_WIRE_MAC]);
/* The token that the request of a data link carries. 0 or -errno. May sleep. */
int cw_auth_token(const u8 secret[CW_WIRE_MAC], u32 number, u64 epoch, u8 kind, u16 index,
		  u8 token[CW_WIRE_TOKEN]);
/*
 * The receipt that WELCOME carries (docs/PROTOCOL.md section 6, rule 6). @secret and @ledger: of
 * the ledger. 0 or -errno. May sleep.
 */
int cw_auth_receipt(const u8 secret[32], const u8 ledger[CW_WIRE_UUID], u64 generation,
		    const u8 host[CW_WIRE_UUID], const u8 session[CW_WIRE_UUID],
		    u8 receipt[CW_WIRE_RECEIPT]);
/* Constant time. */
bool cw_auth_equal(const u8 *a, const u8 *b, size_t len);

#endif
